// Every page works without this; each part is loaded only where a page has use for it.
const parts = [
  ["[data-chart]", "/assets/charts.js"],
  ["form[data-live]", "/assets/live.js"],
  ["[data-job]", "/assets/jobs.js"],
  ["[data-board]", "/assets/board.js"],
];
for (const [what, script] of parts) {
  if (document.querySelector(what)) import(script);
}
