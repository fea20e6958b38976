// Charts: fetched as Vega-Lite, drawn as SVG without eval, in the colours of the page.
import "./vega.js";

// Names of colours, not colours: what is drawn by night is printed by day.
function coloured() {
  const of = (name) => `var(${name})`;
  const axis = { labelColor: of("--muted"), titleColor: of("--muted"), gridColor: of("--line"), domainColor: of("--line"), tickColor: of("--line") };
  const text = { labelColor: of("--muted"), titleColor: of("--ink") };
  return { background: "transparent", axis, legend: text, header: text, title: { color: of("--ink"), subtitleColor: of("--muted") }, text: { color: of("--ink") }, style: { "guide-label": { fill: of("--muted") }, "guide-title": { fill: of("--muted") }, "group-title": { fill: of("--ink") } } };
}

async function draw(figure) {
  const place = figure.querySelector(".picture");
  try {
    const answer = await fetch(figure.dataset.chart, { credentials: "same-origin" });
    if (!answer.ok) throw new Error((await answer.json()).says ?? answer.statusText);
    const chart = await answer.json();
    // The page's colours win over those that the picture has on paper.
    delete chart.background;
    for (const part of ["axis", "legend", "header", "title"]) if (chart.config) delete chart.config[part];
    delete chart.title;  // the caption says it
    await window.vegaEmbed(place, chart, { actions: false, ast: true, renderer: "svg", defaultStyle: false, config: coloured(), tooltip: false });
  } catch (error) {
    place.textContent = `This chart cannot be drawn: ${error.message}`;
  }
}

document.querySelectorAll("[data-chart]").forEach(draw);
