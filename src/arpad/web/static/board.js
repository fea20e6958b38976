// A board to step through without asking for the whole page again; every link works without this, too.
const place = document.querySelector("[data-board]");
const picture = place.querySelector("img.board");
const said = place.querySelector("[data-at]");
const list = place.querySelector(".moves");
const moves = new Map([...place.querySelectorAll("[data-ply]")].map((link) => [Number(link.dataset.ply), link]));
const share = place.querySelector("[data-share]"), bar = share?.closest("svg");
const graph = document.querySelector("[data-graph] svg.wins"), here = graph?.querySelector(".here");
const player = place.querySelector("[data-to=auto]");
const plies = Number(place.dataset.plies);
let at = Number(place.dataset.ply);
let side = place.dataset.side;
let timer = null;
const fen = document.querySelector("[data-fen-field]");
const clocks = { white: place.querySelector("[data-clock=white]"), black: place.querySelector("[data-clock=black]") };
let ground = null;
const page = `${document.querySelector("a.brand").getAttribute("href")}api/games/${place.dataset.game}`;
const positions = place.dataset.positions.split("|").map((each) => each.split(";"));
const address = (ply) => `${place.dataset.board}${ply}.svg?side=${side}${place.dataset.query}`;

// Lichess's board, where this server has it; else every position is a picture.
async function better() {
  const { Chessground } = await import("./chessground.js");
  const square = document.createElement("div");
  square.className = "board";
  square.setAttribute("role", "img");
  picture.replaceWith(square);
  ground = Chessground(square, {
    viewOnly: matchMedia("(pointer: coarse)").matches,
    draggable: { enabled: false }, selectable: { enabled: false }, movable: { color: undefined },
    animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 180 },
  });
  draw();
}

function draw() {
  const [fen, move, best, check] = positions[at];
  const says = `Position after ${at} half-moves: ${fen}`;
  if (!ground) {
    picture.src = address(at);
    picture.alt = says;
    for (const near of [at + 1, at - 1]) if (near >= 0 && near <= plies) new Image().src = address(near);
    return;
  }
  const ends = (uci) => [uci.slice(0, 2), uci.slice(2, 4)];
  ground.set({
    fen, orientation: side, turnColor: fen.split(" ")[1] === "b" ? "black" : "white",
    lastMove: move ? ends(move) : undefined, check: check === "+",
    drawable: { autoShapes: best ? [{ orig: ends(best)[0], dest: ends(best)[1], brush: "paleBlue" }] : [] },
  });
  ground.state.dom.elements.wrap.setAttribute("aria-label", says);
}

// Only the list of moves is scrolled, never the page.
function inSight(link) {
  const mine = link.getBoundingClientRect(), whole = list.getBoundingClientRect();
  if (mine.top < whole.top + 8 || mine.bottom > whole.bottom - 8) list.scrollTop += mine.top - whole.top - list.clientHeight / 2;
}

function mark() {
  const win = moves.get(at)?.dataset.win;
  if (share && win) {
    share.setAttribute("y", 100 - 100 * win);
    share.setAttribute("height", 100 * win);
    bar.setAttribute("aria-label", `White's chance to win: ${Math.round(100 * win)} %`);
  }
  for (const [colour, clock] of Object.entries(clocks)) {
    let ply = at;
    while (ply > 0 && moves.get(ply)?.dataset.colour !== colour) ply -= 1;
    if (clock) clock.textContent = moves.get(ply)?.dataset.time ?? "";
  }
  for (const end of ["x1", "x2"]) here?.setAttribute(end, `${plies ? at / plies * 100 : 0}%`);
}

function show(ply) {
  at = Math.max(0, Math.min(plies, ply));
  draw();
  for (const link of moves.values()) link.removeAttribute("aria-current");
  const link = moves.get(at);
  link.setAttribute("aria-current", "true");
  said.textContent = link.dataset.says;
  place.querySelector(".left").classList.toggle("turned", side === "black");
  inSight(link);
  mark();
  const query = new URLSearchParams(location.search);
  query.set("ply", at);
  if (side === "black") query.set("side", "black"); else query.delete("side");
  history.replaceState(null, "", `${location.pathname}?${query}`);
  if (fen) fen.value = positions[at][0];
}

function auto(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => { if (at >= plies) auto(false); else show(at + 1); }, 1200) : null;
  player.firstChild.textContent = on ? "⏸" : "▶";
}

const steps = {
  first: () => show(0),
  back: () => show(at - 1),
  next: () => show(at + 1),
  last: () => show(plies),
  turn: () => { side = side === "white" ? "black" : "white"; show(at); },
  auto: () => { if (at >= plies) show(0); auto(timer === null); },
};
const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", f: "turn", F: "turn" };
player.hidden = false;

place.addEventListener("click", (event) => {
  const link = event.target.closest("a, button");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.dataset.to !== "auto") auto(false);
  if (link.dataset.to) steps[link.dataset.to]();
  else if (link.dataset.ply) show(Number(link.dataset.ply));
  else return;
  event.preventDefault();
});
graph?.addEventListener("click", (event) => {
  const box = graph.getBoundingClientRect();
  auto(false);
  show(Math.round((event.clientX - box.left) / box.width * plies));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const step = keys[event.key];
  if (!step) return;
  event.preventDefault();
  auto(false);
  steps[step]();
});
for (const field of document.querySelectorAll("#fen, #pgn")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = `Copy the ${field.id.toUpperCase()}`;
  button.addEventListener("click", async () => { field.select(); await navigator.clipboard?.writeText(field.value); button.textContent = "Copied"; });
  field.after(button);
}
const current = moves.get(at);
if (current) inSight(current);
mark();
if ("ground" in place.dataset) better();

// A game that is being played is looked at again; the page is loaded when there is a new move.
if (place.dataset.live) {
  setInterval(async () => {
    const answer = await fetch(`${page}?ply=0`, { credentials: "same-origin" });
    if (answer.ok && (await answer.json()).plies > Number(place.dataset.live)) location.replace(`${location.pathname}?ply=${plies + 1}`);
  }, 15000);
}
