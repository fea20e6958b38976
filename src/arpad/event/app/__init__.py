"""Berard's Tournament App: what PRA says of one event."""

from __future__ import annotations

from arpad.event.app.after import After, ratings_after
from arpad.event.app.app import report_on, tournament_app
from arpad.event.app.conditions import Conditions, is_knock_out
from arpad.event.app.correlation import Correlation, correlation_test
from arpad.event.app.estimator import Estimator, estimator_line
from arpad.event.app.field import Field, field_of
from arpad.event.app.fit import Fit, Goodness, fit_line, goodness
from arpad.event.app.flags import flag_of
from arpad.event.app.follow import Later, follow_up
from arpad.event.app.greatness import (
    calibrated,
    g_category,
    g_score,
    resistance,
    simultaneous,
)
from arpad.event.app.line import Line, regress
from arpad.event.app.p_zero import basic_run, order_effect, p_zero, z_scores
from arpad.event.app.repair import Decision, Repair
from arpad.event.app.report import AppReport, Standing
from arpad.event.app.strength import tournament_strength
from arpad.event.app.sweep import Sweep, sweep_probability
from arpad.event.app.tie_break import pra_ranks

__all__ = [
    "After",
    "AppReport",
    "Conditions",
    "Correlation",
    "Decision",
    "Estimator",
    "Field",
    "Fit",
    "Goodness",
    "Later",
    "Line",
    "Repair",
    "Standing",
    "Sweep",
    "basic_run",
    "calibrated",
    "correlation_test",
    "estimator_line",
    "field_of",
    "fit_line",
    "flag_of",
    "follow_up",
    "g_category",
    "g_score",
    "goodness",
    "is_knock_out",
    "order_effect",
    "p_zero",
    "pra_ranks",
    "ratings_after",
    "regress",
    "report_on",
    "resistance",
    "simultaneous",
    "sweep_probability",
    "tournament_app",
    "tournament_strength",
    "z_scores",
]
