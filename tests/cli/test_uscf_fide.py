from __future__ import annotations

import json

import pytest

from tests.conftest import GOLDEN

PRINTOUT = GOLDEN / "uscf1994_6_3.csv"


def test_kamsky(run):
    done = run("uscf", "fide", "2795", PRINTOUT)
    assert done.code == 0
    assert "E_adj = 20.73." in done.out
    assert "2795 becomes 2757" in done.out
    found = json.loads(run("uscf", "fide", "2795", PRINTOUT, "--as-uscf", "2701", "--format", "json").out)  # fmt: skip
    assert round(found["after"]) == 2757
    assert [e["event"] for e in found["at_home"]] == ["New York"]
    abroad = run("uscf", "fide", "2795", PRINTOUT, "--as-uscf", "2701", "--home", "none")
    assert "18.5 of 34" in abroad.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected the columns"),
        ("fed,city,ro,w,n\nESP,X,2655,5,10\n", "found no chg"),
        ("fed,city,ro,w,n,chg\nESP,X,strong,5,10,0\n", ":2: expected a number (FIDE rating before) in ro"),
        ("fed,city,ro,w,n,chg\nESP,X,2655,5,9.5,0\n", "whole games"),
        ("fed,city,ro,w,n,chg\nESP,X,2655,5,10\n", "in chg, found ''"),
        ("fed,city,ro,w,n,chg\nESP,X,2655,nan,10,0\n", "in w, found 'nan'"),
        ("fed,city,ro,w,n,chg\nESP,X,2655,5,10,-6.1\n", "without K"),
        ("fed,city,ro,w,n,chg\nESP,X,2655,5,10,0\nESP,X,2655,5,10,0\n", "twice"),
    ],
)
def test_bad_printouts(run, write, text, words):
    done = run("uscf", "fide", "2795", write(text), "--as-uscf", "2701")
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_printouts_of_other_kinds(run, write):
    semicolons = "City;Fed;Ro;N;W;Chg\nLinares;ESP;2655;13;5,5;−0,61\n\n"
    done = run("uscf", "fide", "2795", write(semicolons), "--as-uscf", "2701")
    assert "2795 becomes 2776" in done.out
    home = run("uscf", "fide", "2795", write("fed,city,ro,w,n,chg\nUSA,X,2655,5,10,0\n"), "--as-uscf", "2701")  # fmt: skip
    assert "2795 stays" in home.out
    assert run("uscf", "fide", "2795", "/no/such/file", "--as-uscf", "2701").code == 2
