// Every page works without this; each part is loaded only where a page has use for it.
const parts = [
  ["[data-chart]", "./charts.js"],
  ["form[data-live]", "./live.js"],
  ["[data-job]", "./jobs.js"],
  ["[data-board]", "./board.js"],
];
for (const [what, script] of parts) {
  if (document.querySelector(what)) import(script);
}
