"""An engine that speaks UCI as badly as it is told to: engine.py BEHAVIOUR LOG.

Every search is written to LOG, so that tests can count them.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

import chess

HOW = sys.argv[1] if len(sys.argv) > 2 else ""
LOG = Path(sys.argv[2] if len(sys.argv) > 2 else os.devnull)
OPTIONS = [
    "Hash type spin default 1 min 1 max 64",
    "EvalFile type string default fake-1.nnue",
    "Style type combo default Solid var Solid var Very Sharp",
    "Own Book type check default false",
    "Skill type spin default 0 min -9 max 9",
]
SCORES = {"mates": "mate 3", "mated": "mate -2"}


def say(*rows: str) -> None:
    for row in rows:
        print(row, flush=True)


def main() -> None:
    if HOW == "dies":
        print("error while loading a library", file=sys.stderr)
        sys.exit(3)
    board = chess.Board()
    multipv = 1
    for row in sys.stdin:
        words = row.split()
        if HOW == "silent":
            continue
        if HOW == "not-uci":
            say(f"Error (unknown command): {row.strip()}")
        elif words[0] == "uci":
            options = OPTIONS + ([] if HOW == "one-line" else ["MultiPV type spin default 1 min 1 max 9"])
            say("id name Fake 1.0", *(f"option name {o}" for o in options), "uciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[:3] == ["setoption", "name", "MultiPV"]:
            multipv = int(words[-1])
        elif words[0] == "position":
            board = chess.Board(" ".join(words[2:]))
        elif words[0] == "go":
            only = words[words.index("searchmoves") + 1 :] if "searchmoves" in words else []
            if HOW.startswith("judges"):
                judge(board, multipv, only)
            else:
                search(board, multipv)
        elif words[0] == "quit":
            return


def search(board: chess.Board, multipv: int) -> None:
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"{board.epd()}\n")
    tried = len(LOG.read_text("utf-8").splitlines())
    moves = [m.uci() for m in board.legal_moves]
    best = moves[0] if moves else "(none)"
    if HOW.startswith("slow"):
        time.sleep(float(HOW.partition(":")[2]))
    if HOW == "hangs" or (HOW == "hangs-first" and tried == 1):
        return
    if HOW == "crashes" or (HOW == "crashes-first" and tried == 1):
        os.abort()
    if HOW == "crashes-on-black" and board.turn == chess.BLACK:
        os.abort()
    if HOW == "never-ends":
        while True:
            say("info depth 1 score cp 1 pv e2e4")
            time.sleep(0.01)
    if HOW == "chatters":
        say(*["info depth 30 currmove e2e4 currmovenumber 1"] * 9000)  # more than is kept
        time.sleep(0.1)
    while HOW in ("no-newline", "endless-scores"):
        sys.stdout.write(("info depth 1 score cp 1 pv e2e4\n" if HOW == "endless-scores" else "x") * 30_000)
    if HOW == "no-move":
        best, moves = "(none)", []
    if HOW == "illegal":
        best, moves = "e2e5", ["e2e5"]
    if HOW == "illegal-line":
        moves = ["e2e5"]
    if HOW == "same-line":
        moves = [best] * multipv
    if HOW == "one-line-of-many":
        moves = [best]
    if HOW == "nonsense":
        say("info depth x score cp y", "bestmove maybe")
        return
    kind, _, value = HOW.partition(":")
    score = value if kind == "score" else SCORES.get(HOW, "cp 20")
    depth = value if kind == "depth" else "5"
    nodes = value if kind == "nodes" else "100"
    bound = " lowerbound" if HOW == "bounds" else ""
    for number, move in enumerate(moves[:multipv], 1):
        if HOW not in ("no-score", "chatters"):
            say(f"info depth {depth} multipv {number} score {score}{bound} nodes {nodes} pv {move}")
    say(f"bestmove {best}")


def judge(board: chess.Board, multipv: int, only: list[str]) -> None:
    """Value every move by a hash of it, the same each time; moves alone are valued alone."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"{board.epd()} {' '.join(only)}\n")
    if HOW == "judges-none-to-the-a-file" and only and only[0][2] == "a":
        os.abort()
    values = judged(board)
    best_first = [m for m in values if not only or m in only]
    for number, move in enumerate(best_first[:multipv], 1):
        say(f"info depth 5 multipv {number} score cp {values[move]} nodes 100 pv {move}")
    say(f"bestmove {best_first[0]}")


def judged(board: chess.Board) -> dict[str, int]:
    """Return the value of every move, best first."""
    epd = board.epd()
    values = {m.uci(): _worth(epd, m.uci()) for m in board.legal_moves}
    return dict(sorted(values.items(), key=lambda v: -v[1]))


def _worth(epd: str, move: str) -> int:
    """Return centipawns from 100 down to −200, the best ones well apart."""
    share = int.from_bytes(hashlib.blake2b(f"{epd}{move}".encode(), digest_size=4).digest()) / 2**32
    return round(100 - 300 * share**0.5)


if __name__ == "__main__":
    main()
