// Search as you type: the form asks for the same page, and what is marked data-part is put in place.
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer, asked = 0;
  const go = async () => {
    const mine = ++asked;
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    const address = `${form.getAttribute("action") || location.pathname}?${query}`;
    const answer = await fetch(address, { credentials: "same-origin" });
    if (mine !== asked || !answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const old of document.querySelectorAll("[data-part]")) {
      const now = fresh.querySelector(`[data-part="${old.dataset.part}"]`);
      if (now) old.replaceWith(now);
    }
    dispatchEvent(new Event("resize"));
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(go, 180); });
  // What was typed before this script had come is asked for now.
  if ([...form.querySelectorAll("input")].some((field) => field.value !== field.defaultValue)) go();
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); go(); });
}
