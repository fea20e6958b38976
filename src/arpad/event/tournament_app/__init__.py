"""Berard's Tournament App: what PRA says of one event; its formulas are in the modules of this package."""

from __future__ import annotations

from arpad.event.tournament_app.app import follow_up, report_on, tournament_app
from arpad.event.tournament_app.fit import goodness, p_zero
from arpad.event.tournament_app.greatness import g_score
from arpad.event.tournament_app.repair import Repair
from arpad.event.tournament_app.report import AppReport

__all__ = ["AppReport", "Repair", "follow_up", "g_score", "goodness", "p_zero", "report_on", "tournament_app"]
