// Charts come drawn from the server. Here they get what needs a script: figures, zoom, and lines that come and go.

// Pictures of Vega-Lite: the library (900 kB) is loaded only when somebody asks for it.
async function interactive(figure, button) {
  const place = figure.querySelector(".picture");
  button.disabled = true;
  try {
    await import("./vega.js");
    const answer = await fetch(figure.dataset.chart, { credentials: "same-origin" });
    if (!answer.ok) throw new Error((await answer.json()).says ?? answer.statusText);
    const chart = await answer.json();
    // Names of colours, not colours: what is drawn by night is printed by day.
    const of = (name) => `var(${name})`;
    const axis = { labelColor: of("--muted"), titleColor: of("--muted"), gridColor: of("--line"), domainColor: of("--line"), tickColor: of("--line") };
    const text = { labelColor: of("--muted"), titleColor: of("--ink") };
    const config = { background: "transparent", axis, legend: text, header: text, mark: { tooltip: true }, text: { color: of("--ink") }, style: { "guide-label": { fill: of("--muted") }, "guide-title": { fill: of("--muted") } } };
    delete chart.background;
    for (const part of ["axis", "legend", "header", "title"]) if (chart.config) delete chart.config[part];
    delete chart.title;
    const first = chart.layer ? chart.layer[0] : chart.mark ? chart : null;
    const scales = ["quantitative", "temporal"].includes((first?.encoding ?? chart.encoding)?.x?.type) && !first.params;
    if (scales) first.params = [{ name: "zoom", select: { type: "interval", encodings: ["x"] }, bind: "scales" }];
    place.replaceChildren();
    await window.vegaEmbed(place, chart, { actions: false, ast: true, renderer: "svg", defaultStyle: false, config, tooltip: { disableDefaultStyle: true } });
    button.textContent = scales ? "Point at it for figures, turn the wheel to zoom" : "Point at it for figures";
  } catch (error) {
    button.textContent = `This chart cannot be loaded: ${error.message}`;
  }
}
for (const figure of document.querySelectorAll("[data-chart]")) {
  const button = document.createElement("button");
  button.className = "plain small";
  button.type = "button";
  button.textContent = "Figures and zoom";
  button.addEventListener("click", () => interactive(figure, button));
  figure.querySelector("figcaption").append(" ", button);
}

// Our own lines: positions across are thousandths in data-x, shown as percentages of the part that is in sight.
for (const figure of document.querySelectorAll("[data-lines]")) {
  const picture = figure.querySelector("svg.lines"), plot = figure.querySelector("svg.plot");
  if (!picture) continue;
  const height = picture.getAttribute("height"), marks = [...picture.querySelectorAll("[data-x]")];
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  figure.append(tip);
  let from = 0, to = 1000, grabbed = null;
  const place = () => {
    plot.setAttribute("viewBox", `${from} 0 ${to - from} ${height}`);
    for (const mark of marks) {
      const x = (mark.dataset.x - from) / (to - from) * 100;
      mark.setAttribute(mark.tagName === "text" ? "x" : "cx", `${x}%`);
      mark.toggleAttribute("hidden", x < 0 || x > 100);
    }
    tip.textContent = from > 0 || to < 1000 ? "Click twice to see all of it." : "";
  };
  const at = (event) => { const box = picture.getBoundingClientRect(); return from + (event.clientX - box.left) / box.width * (to - from); };
  const near = (event) => {
    const x = at(event), y = event.clientY - picture.getBoundingClientRect().top;
    let best = null, least = Infinity;
    for (const mark of picture.querySelectorAll("g:not([hidden]) > circle:not([hidden])")) {
      const far = Math.abs(mark.dataset.x - x) + Math.abs(mark.getAttribute("cy") - y) / 4;
      if (far < least) { best = mark; least = far; }
    }
    for (const mark of picture.querySelectorAll("circle.near")) mark.classList.remove("near");
    if (!best) return;
    best.classList.add("near");
    tip.textContent = best.querySelector("title").textContent;
  };
  picture.addEventListener("pointermove", near);
  picture.addEventListener("pointerdown", (event) => { grabbed = event.pointerType === "mouse" ? at(event) : null; near(event); });
  picture.addEventListener("pointerup", (event) => {
    const end = at(event);
    if (grabbed !== null && Math.abs(end - grabbed) > (to - from) / 50) { [from, to] = [Math.min(grabbed, end), Math.max(grabbed, end)]; place(); }
    grabbed = null;
  });
  picture.addEventListener("dblclick", () => { from = 0; to = 1000; place(); });
  for (const button of figure.querySelectorAll("[data-toggle]")) {
    button.addEventListener("click", () => {
      const off = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(!off));
      for (const group of picture.querySelectorAll(`[data-line="${button.dataset.toggle}"]`)) group.toggleAttribute("hidden", off);
    });
  }
}
