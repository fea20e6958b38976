// Every page works without this; each part is loaded only where a page has use for it.
const parts = [
  ["[data-chart], [data-lines]", "./charts.js"],
  ["form[data-live]", "./live.js"],
  ["[data-job]", "./jobs.js"],
  ["[data-board]", "./board.js"],
  ["[data-suggest]", "./suggest.js"],
];
for (const [what, script] of parts) {
  if (document.querySelector(what)) import(script);
}

// A file may be dropped anywhere on a page that takes files.
const files = document.querySelector("input[type=file]");
if (files) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    files.files = event.dataTransfer.files;
    files.focus();
  });
}

// Where a row of links is longer than a phone is wide, the present one is in sight.
for (const here of document.querySelectorAll("nav ul [aria-current]")) {
  const row = here.closest("ul");
  row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}

// A table that is too wide for a phone becomes a list: every figure beside its heading, and no column left out.
const phone = matchMedia("(max-width: 40rem)");
function fitTables() {
  for (const box of document.querySelectorAll(".scroll")) {
    const table = box.querySelector(":scope > table:not(.cross)");
    const heads = table?.tHead?.rows.length === 1 ? [...table.tHead.rows[0].cells] : [];
    if (!heads.length || heads.some((head) => head.colSpan > 1)) continue;
    table.classList.remove("cards");
    if (!phone.matches || box.scrollWidth <= box.clientWidth + 1) continue;
    table.classList.add("cards");
    table.setAttribute("role", "table");
    for (const row of table.rows) {
      row.setAttribute("role", "row");
      let column = 0;
      for (const cell of row.cells) {
        const head = heads[column];
        column += cell.colSpan;
        cell.setAttribute("role", cell.scope === "col" ? "columnheader" : cell.tagName === "TH" ? "rowheader" : "cell");
        if (row.parentElement !== table.tHead && cell.colSpan === 1) cell.dataset.label = head.textContent.trim();
      }
    }
  }
}
fitTables();
addEventListener("resize", fitTables);
addEventListener("beforeprint", () => document.querySelectorAll("table.cards").forEach((table) => table.classList.remove("cards")));
addEventListener("afterprint", fitTables);
