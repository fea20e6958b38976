"""By keyboard alone, in Chromium: from an empty ledger to a corrected second list, and the focus is always seen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.mark.chromium
def test_from_an_empty_ledger_to_a_corrected_list_by_keyboard(page, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(TOOLS))
    spec = importlib.util.spec_from_file_location("officer_stories", TOOLS / "officer_stories.py")
    stories = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "officer_stories", stories)
    spec.loader.exec_module(stories)
    with stories.served_empty(tmp_path) as address:
        counts = stories.story(page, tmp_path, address, "keyboard")
    assert len(counts) == 10
