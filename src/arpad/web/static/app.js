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
