"""By keyboard alone: an event is uploaded, looked at and imported, a list made and published, and the focus is always seen."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import PASSWORDS

EVENT = """event,date,round,white,black,result
November Cup,2026-11-01,1,"Berg, Ida","Novak, Jan",1-0
November Cup,2026-11-02,2,"Novak, Jan","Ortiz, Luz",1/2-1/2
"""
FOCUSED = """() => { const e = document.activeElement, s = getComputedStyle(e);
  const label = e.labels?.length ? e.labels[0].textContent : e.getAttribute('aria-label') ?? e.textContent;
  const box = e.getBoundingClientRect();
  return {label: label.trim(), seen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2,
          inside: e === document.body || (box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth)}; }"""


def tab_to(page, words: str, most: int = 80) -> None:
    """Press Tab until something called so has the focus, which shows at every stop."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUSED)
        if page.evaluate("document.activeElement === document.body"):
            continue  # the end of the page
        assert focus["seen"], f"the focus on {focus['label']!r} is not seen"
        assert focus["inside"], f"{focus['label']!r} has the focus beyond the window"
        if re.fullmatch(words, focus["label"]):
            return
    raise AssertionError(f"{words!r} is not reached with {most} Tabs on {page.url}")


@pytest.mark.chromium
def test_from_an_upload_to_a_published_list_by_keyboard(served, page, tmp_path):
    file = tmp_path / "november.csv"
    file.write_text(EVENT)
    base = served()
    page.goto(f"{base}/sign-in?to=/upload")
    tab_to(page, "Name")
    page.keyboard.type("ann")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORDS["ann"])
    page.keyboard.press("Enter")
    page.wait_for_url(f"{base}/upload")

    tab_to(page, "Files")
    with page.expect_file_chooser() as chosen:
        page.keyboard.press("Space")  # Enter would send the form
    chosen.value.set_files(file)
    tab_to(page, "What the file does not say")
    page.keyboard.press("Enter")
    tab_to(page, "Name of the event")
    page.keyboard.type("Cup by keyboard")
    tab_to(page, "Preview")
    page.keyboard.press("Enter")
    page.get_by_text("1 event and 2 games").wait_for()
    tab_to(page, "Import it")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Cup by keyboard").wait_for()

    tab_to(page, "Lists")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{base}/lists")
    tab_to(page, "Make the draft.*|Make it|Make a draft")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="club, 2026-12").wait_for()
    tab_to(page, "club, 2026-12")
    page.keyboard.press("Enter")
    page.get_by_text("not published").wait_for()
    tab_to(page, "Look at what publishing would freeze")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile("Publish")).wait_for()
    tab_to(page, "Publish.*")
    page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text() == "The list is published and frozen."
