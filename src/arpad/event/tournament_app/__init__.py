"""Berard's Tournament App: what PRA says of one event."""

from __future__ import annotations

from arpad.event.field import is_knock_out
from arpad.event.tournament_app.app import Conditions, Later, follow_up, report_on, tournament_app
from arpad.event.tournament_app.fit import (
    Correlation,
    Estimator,
    Fit,
    Goodness,
    Line,
    correlation_test,
    estimator_line,
    fit_line,
    goodness,
    regress,
)
from arpad.event.tournament_app.greatness import (
    Sweep,
    calibrated,
    g_category,
    g_score,
    pra_ranks,
    resistance,
    simultaneous,
    sweep_probability,
    tournament_strength,
)
from arpad.event.tournament_app.p_zero import (
    After,
    Field,
    basic_run,
    field_of,
    order_effect,
    p_zero,
    ratings_after,
    z_scores,
)
from arpad.event.tournament_app.repair import Decision, Repair, flag_of
from arpad.event.tournament_app.report import AppReport, Standing

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
