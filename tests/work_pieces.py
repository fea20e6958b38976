"""Pieces of work for workers. They import nothing heavy, so that a new process starts at once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from arpad.errors import InputError


def added(shared, piece):
    return shared + piece


def drawn(_, seed):
    return float(np.random.default_rng(seed).random())


def refused(shared, piece):
    if piece == shared:
        raise InputError("expected something else", file="here")
    return piece


def dies_once(folder, piece):
    """Die when asked for the first time, as a process that is out of memory does."""
    mark = Path(folder) / f"{piece}"
    if piece % 3 == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece * piece


def dies(_, piece):
    if piece == 2:
        os._exit(9)
    return piece


def hangs_once(folder, piece):
    mark = Path(folder) / f"{piece}"
    if piece == 1 and not mark.exists():
        mark.touch()
        time.sleep(600)
    return piece


def hangs(_, piece):
    time.sleep(600)


def misses_a_file(_, piece):
    return Path(f"/nowhere/{piece}").read_text()


def is_gone(_pipe):
    """Stand in for a process that cannot even begin, with most of what it is to read unread."""
    os._exit(3)
