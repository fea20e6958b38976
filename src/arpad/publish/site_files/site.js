// Search by name: the index of the first two letters is fetched once. Without scripts the pages have no search box.
const form = document.querySelector("[data-search]");
const root = document.body.dataset.root;
const box = form.querySelector("input");
const list = form.querySelector("#found");
const known = new Map();
const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const key = (word) => [...word.slice(0, 2)].map((c) => c.codePointAt(0).toString(16)).join("-");

async function names(word) {
  const name = key(word);
  if (!known.has(name)) {
    const answer = await fetch(`${root}search/${name}.json`).catch(() => null);
    known.set(name, answer && answer.ok ? await answer.json() : []);
  }
  return known.get(name);
}

async function look() {
  const words = fold(box.value).split(/[^\p{L}\p{N}]+/u).filter((w) => w.length > 1);
  const wanted = box.value;
  const people = words.length ? await names(words[0]) : [];
  if (box.value !== wanted) return;
  const fits = people.filter(([name]) => {
    const parts = fold(name).split(/[^\p{L}\p{N}]+/u);
    return words.every((w) => parts.some((p) => p.startsWith(w)));
  });
  list.replaceChildren(...fits.slice(0, 15).map(([name, path, title, rating]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + path;
    link.textContent = [title, name, rating].filter(Boolean).join(" ");
    item.append(link);
    return item;
  }));
}
form.hidden = false;
form.addEventListener("submit", (event) => { event.preventDefault(); list.querySelector("a")?.click(); });
box.addEventListener("input", look);
