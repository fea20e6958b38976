// Suggestions under a search box, from the JSON twin of the search page. Without this the form asks for the page.
let number = 0;
const root = document.querySelector("a.brand").getAttribute("href");  // under whatever path the app lies
for (const box of document.querySelectorAll("[data-suggest]")) {
  const only = box.dataset.suggest, list = document.createElement("ul");
  list.className = "suggestions";
  list.id = `suggestions-${++number}`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  box.after(list);
  box.parentElement.classList.add("suggesting");
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id]]) box.setAttribute(name, value);
  let timer, asked = 0, chosen = -1;
  const close = () => { list.hidden = true; chosen = -1; box.setAttribute("aria-expanded", "false"); box.removeAttribute("aria-activedescendant"); };
  const take = (item) => {
    if (only) { box.value = item.dataset.value; close(); } else location.assign(item.dataset.href);
  };
  const choose = (to) => {
    const items = [...list.children];
    if (!items.length) return;
    chosen = (to + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    box.setAttribute("aria-activedescendant", items[chosen].id);
    items[chosen].scrollIntoView({ block: "nearest" });
  };
  const ask = async () => {
    const mine = ++asked, q = box.value.trim();
    if (q.length < 2) { close(); return; }
    const answer = await fetch(`${root}api/search?q=${encodeURIComponent(q)}`, { credentials: "same-origin" });
    if (mine !== asked || !answer.ok) return;
    const found = await answer.json();
    const rows = [...found.players, ...(only ? [] : found.events)].slice(0, 10);
    list.replaceChildren(...rows.map((row, i) => {
      const item = document.createElement("li"), small = document.createElement("small");
      item.id = `${list.id}-${i}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dataset.href = row.href;
      item.dataset.value = `#${row.id}`;
      item.append(row.text, " ", small);
      small.textContent = row.detail;
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(item); });
      return item;
    }));
    chosen = -1;
    list.hidden = !rows.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
  };
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 150); });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) { close(); event.preventDefault(); }
    if (list.hidden) return;
    if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
    if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
    if (event.key === "Enter" && chosen >= 0) { take(list.children[chosen]); event.preventDefault(); }
  });
}
