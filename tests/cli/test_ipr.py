"""`arpad ipr FILES` from the command line: ratings, what stands beside them, and every bad input in one sentence."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import chess.pgn
import pytest

from arpad.moves.analysis import LocalWorkers
from arpad.moves.engine import EngineSettings
from tests.calibrations import FAKE, written
from tests.moves.fakes.engine import judged

BYRNE, FISCHER, SPASSKY = "Byrne, Donald", "Fischer, Robert James", "Spassky, Boris V"
WANTED = ["name", "moves", "s", "c", "ae", "mm", "ipr", "low", "high", "low_actual", "high_actual"]
PLIES = 90


@cache
def moves(seed, plies=PLIES):
    """Return a game between players who mostly choose what the fake engine likes."""
    rng = random.Random(seed)
    board = chess.Board()
    for _ in range(plies):
        liked = list(judged(board))
        rank = 0 if rng.random() < 0.55 else min(int(rng.expovariate(0.4)), len(liked) - 1)
        board.push_uci(liked[rank])
    game = chess.pgn.Game.from_board(board)
    return game.accept(chess.pgn.StringExporter(headers=False))


def game(white, black, text=None, result="0-1", event="New York", date="1956.10.17", elo=True):
    text = moves(1) if text is None else text
    ratings = f'[WhiteElo "{2400 + len(white)}"]\n[BlackElo "{2400 + len(black)}"]\n' if elo else ""
    return (
        f'[Event "{event}"]\n[Date "{date}"]\n[White "{white}"]\n[Black "{black}"]\n[Round "1"]\n'
        f'[Result "{result}"]\n{ratings}\n{text.replace("*", result)}\n\n'
    )


FORFEIT = game(FISCHER, BYRNE, "1. d4 0-1")


@pytest.fixture
def games(write):
    second = game(FISCHER, SPASSKY, moves(2), "1-0", event="Reykjavik", date="1972.07.11")
    return write(game(BYRNE, FISCHER) + FORFEIT + second, "games.pgn")


@pytest.fixture
def engine(fake):
    return fake("judges")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return a store that tests share: what one of them has analysed the next need not."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def ipr(run, tmp_path, engine, kept):
    """Run arpad ipr with the fake engine and a calibration made for it."""
    calibration = written(tmp_path)

    def _ipr(*arguments, engine=engine.path, calibration=calibration, format="json", store=kept, least=20):
        return run(
            "ipr", *arguments, "--calibration", calibration, "--engine", engine, "--workers", 1,
            "--store", store, "--least", least, *(["--format", format] if format else []),
        )  # fmt: skip

    return _ipr


def found(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def refused(ran):
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    return ran.err.splitlines()[-1]


def test_players_have_all_that_they_must_show(ipr, games):
    shown = found(ipr(games))
    assert len(shown["players"]) == 3
    for player in shown["players"]:
        assert all(player[k] is not None for k in ("name", "moves", "s", "c", "ae", "mm", "ipr_words"))
        ends = [
            player[k] for k in ("low_actual", "low", "ipr", "high", "high_actual") if player[k] is not None
        ]
        assert ends == sorted(ends)
        assert all(1800 <= end <= 2600 for end in ends)
        assert player["elo"] == 2400 + len(player["name"])
        if player["ipr"] is not None:
            assert player["ipr_minus_elo"] == pytest.approx(player["ipr"] - player["elo"], abs=0.11)
        assert player["gain_estimate"] is not None
        assert 0 < player["move_accuracy"] <= 100
        assert player["lichess_accuracy"] is None
    fischer = next(p for p in shown["players"] if p["name"] == FISCHER)
    assert fischer["games"] == 2
    assert fischer["results"] == 2
    assert shown["parameters"]["engine"] == FAKE
    assert shown["calibration"]["name"] == "agents"
    assert shown["calibration"]["engine"] == FAKE
    assert [a["name"] for a in shown["averages"]] == ["average", "standard deviation", "by games", "by moves"]  # fmt: skip


def test_the_forfeited_game_is_left_out_and_said(ipr, games):
    shown = found(ipr(games))
    assert shown["left_out"]["games"] == [f"{FISCHER} – {BYRNE}, round 1"]
    assert any("1 game decided without play left out" in n for n in shown["notes"])
    assert sum(p["games"] for p in shown["players"]) == 4
    assert "decided without play" in ipr(games, format=None).out


def test_moves_are_counted_or_left_out(ipr, games):
    shown = found(ipr(games))
    counted = sum(p["moves"] for p in shown["players"])
    # Both games whole; the forfeited one's move is nobody's.
    assert counted + sum(shown["left_out"]["moves"].values()) == 2 * PLIES
    assert shown["left_out"]["moves"]["opening"] == 2 * 16
    assert shown["all_moves"]["moves"] == counted


def test_what_was_analysed_is_kept_and_a_move_outside_the_lines_is_searched_alone(
    ipr, games, engine, tmp_path
):
    first = found(ipr(games, store=tmp_path / "own"))
    asked = engine.asked()
    alone = [row for row in asked if row.split()[4:]]
    assert len(alone) == first["input"]["searched_alone"] > 5
    assert len(asked) == len(set(asked)) == first["input"]["asked"]
    again = found(ipr(games, store=tmp_path / "own"))
    assert engine.asked() == asked
    assert again["input"]["known"] == first["input"]["asked"]
    assert again["players"] == first["players"]


def test_every_kind_of_row_prints(ipr, games):
    for by, name in (
        ("player", FISCHER), ("event", "Reykjavik"), ("year", "1972"), ("side", "White"),
        ("game", f"1. {BYRNE} – {FISCHER}"), ("player,year", "1956"),
    ):  # fmt: skip
        ran = ipr(games, "--by", by, format=None)
        assert ran.code == 0, ran.err
        assert name in ran.out
        assert "all moves in one run" in ran.out
    shown = found(ipr(games, "--by", "event"))
    assert [e["name"] for e in shown["events"]] == ["New York", "Reykjavik"]
    assert all(e["category"] for e in shown["events"])
    assert "cat." in ipr(games, "--by", "event", format=None).out


def test_csv_has_a_line_a_row(ipr, games):
    rows = list(csv.DictReader(io.StringIO(ipr(games, format="csv").out)))
    assert len(rows) == 3
    assert set(WANTED) <= set(rows[0])


def test_only_one_player(ipr, games):
    shown = found(ipr(games, "--player", "fischer"))
    assert [p["name"] for p in shown["players"]] == [FISCHER]
    assert "found 'Karpov'" in refused(ipr(games, "--player", "Karpov"))


def test_other_filters_are_named_and_minded(ipr, games):
    shown = found(ipr(games, "--first-turn", 20, "--window", 2, "--forced", "--repeated", "--judged", "previous"))  # fmt: skip
    assert shown["parameters"]["filters"] == {
        "first_turn": 20, "window": 2.0, "judged": "previous", "repeated": False, "forced": True,
    }  # fmt: skip
    assert shown["left_out"]["moves"]["opening"] == 2 * 38
    assert any("filters of the moves differ" in n for n in shown["notes"])
    assert not any("filters of the moves differ" in n for n in found(ipr(games))["notes"])


def test_another_method_is_minded(ipr, games):
    shown = found(ipr(games, "--method", "likelihood"))
    assert shown["parameters"]["method"] == "likelihood"
    assert any("fitted by likelihood" in n for n in shown["notes"])


def test_without_ratings_there_is_no_elo(ipr, write):
    shown = found(ipr(write(game(BYRNE, FISCHER, elo=False))))
    for player in shown["players"]:
        assert player["ipr_words"] is not None
        assert player["elo"] is player["performance"] is player["gain_estimate"] is None
    assert "no ratings in the file: nothing can be compared with Elo" in shown["notes"]
    given = found(ipr(write(game(BYRNE, FISCHER, elo=False)), "--engine-rating", 3000))
    assert all(p["gain_estimate"] < 3000 for p in given["players"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--depth", 6], "depth: 6, not 5"),
        (["--multipv", 3], "multipv: 3, not 4"),
        (["--hash", 8], "hash_mb: 8, not 16"),
        (["--nodes", 1000], "depth: None, not 5; nodes: 1000, not None"),
        (["--option", "Skill=1"], "options: {'Skill': '1'}, not {}"),
    ],
)
def test_other_settings_are_an_error_that_names_both(ipr, games, engine, options, words):
    assert words in refused(ipr(games, *options))
    assert engine.asked() == []


def test_the_same_settings_may_be_named(ipr, games):
    assert found(ipr(games, "--depth", 5, "--multipv", 4, "--hash", 16))["players"]


def test_another_engine_is_an_error_that_names_both(ipr, games, engine, tmp_path):
    other = written(tmp_path, {**FAKE, "engine": "Fake 2.0"})
    assert "engine: 'Fake 1.0', not 'Fake 2.0'" in refused(ipr(games, calibration=other))
    assert engine.asked() == []


def test_an_engine_that_changes_between_both_searches_is_refused(ipr, games, monkeypatch):
    """Moves searched alone must be valued by who valued the lines."""
    from arpad.moves import evaluate

    real, calls = evaluate.evaluate_positions, []

    def changed(*arguments, **options):
        done = real(*arguments, **options)
        calls.append(done)
        if len(calls) == 1:
            return done
        other = {**done.analysis.parameters, "engine": "Fake 2.0"}
        return replace(done, analysis=replace(done.analysis, parameters=other))

    monkeypatch.setattr(evaluate, "evaluate_positions", changed)
    message = refused(ipr(games))
    assert "Fake 1.0, depth 5, then Fake 2.0, depth 5" in message
    assert "two engines cannot be mixed" in message


def test_a_calibration_that_was_edited_is_refused(ipr, games, tmp_path):
    path = written(tmp_path)
    document = json.loads(path.read_text())
    document["line"]["intercept"] += 100
    path.write_text(json.dumps(document))
    assert "changed after it was made" in refused(ipr(games, calibration=path))


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "found no JSON"), ("[]", "another kind of JSON"), ("{}", "expected a calibration"), (None, "expected a file, or one of")],
)  # fmt: skip
def test_what_is_no_calibration_is_refused(ipr, games, write, text, words):
    path = "nowhere" if text is None else write(text, "other.json")
    assert words in refused(ipr(games, calibration=path))


def test_too_few_moves_say_how_many_it_takes(ipr, write):
    shown = found(ipr(write(game(BYRNE, FISCHER, moves(1, 38)))))
    assert [p["ipr"] for p in shown["players"]] == [None, None]
    assert any("11 moves: a rating takes 20 at least, and one of ±100 about" in n for n in shown["notes"])


def test_a_single_game_has_an_answer_in_words(ipr, write):
    ran = ipr(write(game(BYRNE, FISCHER)), least=150, format=None)
    assert ran.code == 0
    assert ran.out.count("moves are too few for a rating, which takes 150: they fit") == 2
    assert "±2σ" not in ran.out


def test_moves_by_turn_and_advantage(ipr, games):
    shown = found(ipr(games, "--by", "turn,advantage"))
    assert {row["turn"] for row in shown["turns"]} >= {"moves 9–16", "moves 17–24"}
    assert sum(row["moves"] for row in shown["turns"]) == shown["all_moves"]["moves"]


def test_a_game_within_the_opening_has_nothing_to_rate(ipr, write):
    message = refused(ipr(write(game(BYRNE, FISCHER, "1. e4 e5 2. Nf3 0-1"))))
    assert "none that counts (3 in the opening)" in message


def test_a_file_without_moves_has_nothing_to_rate(ipr, write):
    assert "expected games with moves, found none" in refused(ipr(write(game(BYRNE, FISCHER, "0-1"))))


def test_moves_that_could_not_be_searched_alone_are_left_out_and_said(ipr, games, fake, tmp_path):
    ran = ipr(games, engine=fake("judges-none-to-the-a-file").path, store=tmp_path / "own")
    shown = found(ran)
    lost = shown["left_out"]["moves"]["not_searched"]
    assert lost == shown["input"]["failed"] > 0
    assert any(f"{lost} positions failed" in n for n in shown["notes"])
    assert "was ended by signal" in ran.err


def test_words_that_are_none_are_refused_before_the_engine_is_asked(ipr, games, engine):
    assert "--by: expected some of player, event" in refused(ipr(games, "--by", "month"))
    assert "--by: expected" in refused(ipr(games, "--by", ","))
    assert "first turn of 1 or more" in refused(ipr(games, "--first-turn", 0))
    assert "window above 0" in refused(ipr(games, "--window", "nan"))
    assert engine.asked() == []


def test_a_chart_is_drawn(ipr, games, tmp_path):
    path = tmp_path / "ratings.svg"
    found(ipr(games, "--chart", path))
    picture = path.read_text()
    assert FISCHER in picture
    assert "Elo" in picture
    assert "expected a chart's name" in refused(ipr(games, "--chart", tmp_path / "x.gif"))


@pytest.mark.stockfish
@pytest.mark.data
def test_with_the_real_engine(run, write, stockfish, tmp_path, data):
    """The command asks as the calibration was asked: depth 3, four lines."""
    whole = (data / "paper_events" / "pgn" / "WCh1972.pgn").read_text()
    two = "[Event ".join(whole.split("[Event ")[:3])
    settings = EngineSettings(engine=stockfish, depth=3, multipv=4)
    who = LocalWorkers(settings, engines=1).identity()
    calibration = written(tmp_path, settings.parameters(who))
    shown = found(
        run(
            "ipr", write(two), "--calibration", calibration, "--engine", stockfish,
            "--store", tmp_path / "kept", "--workers", 1, "--format", "json",
        )
    )  # fmt: skip
    assert shown["parameters"]["engine"]["depth"] == 3
    assert [p["elo"] for p in sorted(shown["players"], key=lambda p: p["name"])] == [2785, 2660]
    assert shown["left_out"]["games"] == [f"{FISCHER} – {SPASSKY}, round 2"]
    assert all(p["moves"] > 40 for p in shown["players"])
    assert shown["input"]["searched_alone"] > 0


def test_help_shows_files_options_and_nothing_hidden(run):
    for arguments in (["--help"], ["-h"], ["games.pgn", "--help"], []):
        ran = run("ipr", *arguments)
        assert ran.code == 0
        assert "FILES" in ran.out.splitlines()[0]
        assert "--calibration" in ran.out
        assert "Rate players by their choice of moves" in ran.out
        assert "calibrate" in ran.out
    own = run("ipr", "calibrate", "--help").out
    assert own.startswith("Usage: arpad ipr calibrate")


def test_wrong_options_name_the_command(run):
    assert "No such option: --dept" in (said := run("ipr", "games.pgn", "--dept", 3).err)
    assert "Try 'arpad ipr --help'" in said


def test_a_file_may_be_called_anything_behind_two_dashes(run):
    assert "--help" not in run("ipr", "--", "--help").out
    assert run("ipr", "--", "--help").code == 2


@pytest.mark.parametrize(("words", "offered"), [("arpad ipr --cal", "--calibration"), ("arpad ipr games.pgn --cha", "--chart"), ("arpad ipr cal", "calibrate")])  # fmt: skip
def test_shell_completion(words, offered):
    script = Path(sys.executable).parent / "arpad"
    env = {
        **os.environ,
        "_ARPAD_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run([script], env=env, capture_output=True, text=True, check=False)
    assert offered in done.stdout
