// How far a job is, asked for each second; when it is over the page is loaded once more.
const place = document.querySelector("[data-job]");
const bar = place.querySelector("progress");
const said = place.querySelector("[data-says]");
const numbers = new Intl.NumberFormat("en");
let misses = 0;

async function look() {
  try {
    const answer = await fetch(place.dataset.job, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.statusText);
    const job = await answer.json();
    misses = 0;
    if (!job.is_open) { location.reload(); return; }
    if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
    const text = job.total ? `${job.says ?? ""} (${numbers.format(job.done)} of ${numbers.format(job.total)})` : job.says ?? "";
    if (said.textContent !== text) said.textContent = text;
  } catch (error) {
    if (++misses > 2) said.textContent = "The server does not answer; this page goes on asking.";
  }
  setTimeout(look, 1000);
}
setTimeout(look, 500);
