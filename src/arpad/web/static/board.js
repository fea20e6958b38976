// A board to step through without asking for the whole page again; every link works without this, too.
const place = document.querySelector("[data-board]");
const picture = place.querySelector("img.board");
const said = place.querySelector("[data-at]");
const list = place.querySelector(".moves");
const moves = new Map([...place.querySelectorAll("[data-ply]")].map((link) => [Number(link.dataset.ply), link]));
const plies = Number(place.dataset.plies);
let at = Number(place.dataset.ply);
let side = place.dataset.side;
const address = (ply) => `${place.dataset.board}${ply}.svg?side=${side}${place.dataset.query}`;

// Only the list of moves is scrolled, never the page.
function inSight(link) {
  const mine = link.getBoundingClientRect(), whole = list.getBoundingClientRect();
  if (mine.top < whole.top + 8 || mine.bottom > whole.bottom - 8) list.scrollTop += mine.top - whole.top - list.clientHeight / 2;
}

function show(ply) {
  at = Math.max(0, Math.min(plies, ply));
  picture.src = address(at);
  picture.alt = `Position after ${at} half-moves`;
  for (const link of moves.values()) link.removeAttribute("aria-current");
  const link = moves.get(at);
  link.setAttribute("aria-current", "true");
  said.textContent = link.dataset.says;
  inSight(link);
  const query = new URLSearchParams(location.search);
  query.set("ply", at);
  if (side === "black") query.set("side", "black"); else query.delete("side");
  history.replaceState(null, "", `${location.pathname}?${query}`);
  for (const near of [at + 1, at - 1]) if (near >= 0 && near <= plies) new Image().src = address(near);
}

const steps = {
  first: () => show(0),
  back: () => show(at - 1),
  next: () => show(at + 1),
  last: () => show(plies),
  turn: () => { side = side === "white" ? "black" : "white"; show(at); },
};
const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", f: "turn", F: "turn" };

place.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.dataset.to) steps[link.dataset.to]();
  else if (link.dataset.ply) show(Number(link.dataset.ply));
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const step = keys[event.key];
  if (!step) return;
  event.preventDefault();
  steps[step]();
});
const current = moves.get(at);
if (current) inSight(current);
