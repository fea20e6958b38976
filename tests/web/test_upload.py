"""Uploads: seen before they are written, bounded, never trusted."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
import zipfile
from pathlib import Path

import pytest
import sqlalchemy as sa
import zstandard

from arpad.errors import InputError
from arpad.ledger.db import tables
from arpad.ledger.db.ledger import Ledger
from arpad.web.jobs import preview as previewing
from arpad.web.jobs import records
from arpad.web.jobs import uploads as unpacking
from arpad.web.jobs.uploads import sweep, unpack
from tests.web.conftest import token

EVENT = """event,date,round,white,black,result
New Year Open,2026-11-01,1,"Berg, Ida","Novak, Jan",1-0
New Year Open,2026-11-01,1,"Ortiz, L.","Stranger, Sam",1/2-1/2
New Year Open,2026-11-02,2,,"Berg, Ida",1-0
"""
MIB = 1 << 20


def send(client, content: bytes | str, name: str = "open.csv", *, with_token: bool = True, **fields):
    data = {**({"token": token(client)} if with_token else {}), **fields}
    body = content.encode() if isinstance(content, str) else content
    return client.post("/upload", data=data, files={"file": (name, body)})


def kept(client) -> list[str]:
    """The keys of the files that the ledger of a client's server keeps."""
    u = tables.uploads.c
    with client.app.state.ledger.reading() as connection:
        return sorted(connection.execute(sa.select(u.key).distinct()).scalars())


def counted(club: str) -> dict[str, int]:
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        return {
            t.name: connection.execute(sa.select(sa.func.count()).select_from(t)).scalar_one()
            for t in (tables.imports, tables.games, tables.events, tables.players, tables.doubts)
        }


def test_a_preview_says_what_would_change_and_writes_nothing(officer, club):
    before = counted(club)
    answer = send(officer, EVENT)
    assert answer.status_code == 303
    page = officer.get(answer.headers["location"]).text
    assert 'What <span dir="auto">open.csv</span> would change' in page
    assert "1 event and 2 games" in page
    assert "New Year Open" in page
    said = officer.get(f"/api{answer.headers['location']}").json()["preview"]
    assert (said["by_name"], said["new"], said["doubtful"]) == (2, 1, 1)
    assert said["doubts"][0]["candidates"][0]["name"] == "Ortiz, Luz"
    (skipped,) = said["skipped"]
    assert skipped["line"] == 4
    assert "name of White" in skipped["reason"]
    assert counted(club) == before
    assert len(kept(officer)) == 1


def test_confirming_makes_a_job_once(officer, club):
    where = send(officer, EVENT, event_name="Renamed", time_control="rapid").headers["location"]
    answer = officer.post(f"{where}/confirm", data={"token": token(officer)})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/jobs/")
    job = officer.get(f"/api{answer.headers['location']}").json()
    assert (job["kind"], job["state"], job["title"], job["who"]) == ("import", "waiting", "Import of open.csv", "ann")  # fmt: skip
    assert officer.post(f"{where}/confirm", data={"token": token(officer)}).status_code == 404
    assert officer.get(where).status_code == 404
    with Ledger.open(club) as ledger, ledger.reading() as connection:
        (kept_job,) = records.jobs_in(connection, records.OPEN)
    assert kept_job.arguments["settings"] == {"event_name": "Renamed", "time_control": "rapid"}


def test_discarding_forgets_the_file(officer):
    where = send(officer, EVENT).headers["location"]
    assert len(kept(officer)) == 1
    assert officer.post(f"{where}/discard", data={"token": token(officer)}).status_code == 303
    assert kept(officer) == []
    assert officer.get(where).status_code == 404


def test_a_file_that_is_here_says_so(officer):
    century = Path(__file__).parents[2] / "src/arpad/samples/game-of-the-century.pgn"
    where = send(officer, century.read_bytes(), "century.pgn").headers["location"]
    assert "here already" in officer.get(where).text
    assert "Import it" not in officer.get(where).text


# --- who may


def test_nobody_but_an_administrator_with_our_form_uploads(make_client):
    for who, status in ((None, 401), ("vic", 403)):
        client = make_client(who)
        assert send(client, EVENT, with_token=False).status_code == status
        assert send(client, EVENT, with_token=False, token="x").status_code == status
    ann = make_client("ann")
    assert send(ann, EVENT, with_token=False).status_code == 403
    assert send(ann, EVENT, with_token=False, token="x" * 64).status_code == 403
    where = send(ann, EVENT).headers["location"]
    for what in ("confirm", "discard"):
        assert ann.post(f"{where}/{what}").status_code == 403
        for other in (make_client(), make_client("vic")):
            assert other.post(f"{where}/{what}", data={"token": "x"}).status_code in (401, 403)
            assert other.get(f"/api{where}").status_code in (401, 403)
    assert len(kept(ann)) == 1


def test_a_stranger_is_refused_before_the_file_is_read(make_client):
    """The body is never asked for."""
    client = make_client()
    read = []

    def body():
        read.append(1)
        yield b"--b\r\n"
        for _ in range(1000):
            read.append(1)
            yield b"x" * 1000

    answer = client.post("/upload", content=body(), headers={"content-type": "multipart/form-data; boundary=b"})  # fmt: skip
    assert answer.status_code == 401


def test_plain_files_take_no_uploads(make_client):
    client = make_client("ann", writable=False)
    assert send(client, EVENT, with_token=False).status_code == 403


# --- how much


def test_more_bytes_than_are_taken_are_refused(make_client):
    ann = make_client("ann", upload_bytes=100_000)
    assert send(ann, b"x" * 200_000).status_code == 413
    assert kept(ann) == []


def zipped(*files: tuple[str, bytes], **options) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


PACKED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zstd": zstandard.compress,
    "zip": lambda data: zipped(("open.csv", data)),
}


@pytest.mark.parametrize("kind", PACKED)
def test_packed_files_are_unpacked(tmp_path, kind):
    target = tmp_path / "out"
    unpack(io.BytesIO(PACKED[kind](EVENT.encode())), target, most=MIB, name="x")
    assert target.read_text() == EVENT


@pytest.mark.parametrize("kind", PACKED)
def test_bombs_are_refused_on_the_way(tmp_path, kind, monkeypatch):
    """At most one block more than is taken was ever unpacked."""
    bomb = PACKED[kind](bytes(64 * MIB))
    assert len(bomb) < MIB
    written = []
    real = Path.open

    def spying(self, mode="r", *rest, **more):
        handle = real(self, mode, *rest, **more)
        if "w" in mode:
            write = handle.write
            return _Spy(handle, lambda b: written.append(len(b)) or write(b))
        return handle

    monkeypatch.setattr(Path, "open", spying)
    with pytest.raises(InputError, match="too long: at most 1 MiB"):
        unpack(io.BytesIO(bomb), tmp_path / "out", most=MIB, name="bomb")
    assert sum(written) <= MIB
    assert max(written) <= 2 * unpacking.BLOCK
    assert not (tmp_path / "out").exists()


class _Spy:
    def __init__(self, handle, write) -> None:
        self.handle, self.write = handle, write

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.handle.close()


@pytest.mark.parametrize("outer", PACKED)
@pytest.mark.parametrize("inner", PACKED)
def test_what_is_packed_twice_is_refused(tmp_path, outer, inner):
    nested = PACKED[outer](PACKED[inner](bytes(MIB)))
    with pytest.raises(InputError, match="packed twice"):
        unpack(io.BytesIO(nested), tmp_path / "out", most=MIB, name="x")


def test_a_zstd_file_that_wants_all_memory_is_refused(tmp_path):
    frame = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=29, enable_ldm=True)
    ).compressobj()
    bomb = frame.compress(bytes(1000)) + frame.flush()
    with pytest.raises(InputError, match="cannot be unpacked"):
        unpack(io.BytesIO(bomb), tmp_path / "out", most=MIB, name="x")


def test_zip_files_that_are_traps_are_refused(tmp_path):
    def refused(data: bytes, why: str) -> None:
        with pytest.raises(InputError, match=why):
            unpack(io.BytesIO(data), tmp_path / "out", most=MIB, name="x")
        assert not (tmp_path / "out").exists()

    refused(zipped(("a.csv", bytes(MIB)), ("b.csv", b"b")), "too long")
    refused(zipped(), "no file in the zip file")
    refused(zipped(*((f"{n}", b"") for n in range(2000))), "too many files")
    refused(b"PK\x03\x04" + b"\0" * 100, "no end")
    whole = zipped(("a.csv", EVENT.encode() * 50))
    refused(whole[:80] + b"\xff" * 40 + whole[120:], "cannot be unpacked")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.csv", EVENT)
    refused(out.getvalue(), "unusual")


def sheets(**rows: str) -> bytes:
    """A spreadsheet with one sheet for each table of text."""
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        for name, text in rows.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(csv.reader(io.StringIO(text))):
                sheet.write_row(at, 0, row)
    return out.getvalue()


def preview_of(client, answer) -> dict:
    assert answer.status_code == 303, re.findall(r'<p class="wrong".*?</p>', answer.text)
    return client.get(f"/api{answer.headers['location']}").json()["preview"]


def test_a_spreadsheet_is_taken_plain_and_packed(officer):
    content = sheets(games=EVENT)
    assert preview_of(officer, send(officer, content, "open.xlsx"))["games"] == 2
    assert preview_of(officer, send(officer, zipped(("open.xlsx", content)), "open.zip"))["games"] == 2


def test_several_files_in_a_zip_file_are_taken(officer):
    other = EVENT.replace("New Year", "Late Year")
    seen = preview_of(
        officer, send(officer, zipped(("a.csv", EVENT.encode()), ("b.csv", other.encode())), "x.zip")
    )
    assert len(seen["event_list"]) == 2


def test_a_spreadsheet_that_unpacks_to_too_much_is_refused(tmp_path):
    bomb = zipped(("[Content_Types].xml", b"x"), ("xl/worksheets/sheet1.xml", bytes(8 * MIB)))
    with pytest.raises(InputError, match="too long"):
        unpack(io.BytesIO(bomb), tmp_path / "out", most=MIB, name="x")
    assert not (tmp_path / "out").exists()


def test_the_form_names_the_field_that_helps(officer):
    doubtful = EVENT.replace("2026-11-01", "01/02/2026").replace("2026-11-02", "02/03/2026")
    refused = send(officer, doubtful)
    assert refused.status_code == 422
    assert re.search(r'<select id="dates" name="dates" autofocus>', refused.text)
    seen = preview_of(officer, send(officer, doubtful, dates="mdy"))
    assert seen["event_list"][0]["start"] == "2026-01-02"
    two = sheets(first=EVENT, second=EVENT.replace("New Year", "Late Year"))
    assert len(preview_of(officer, send(officer, two, "two.xlsx"))["event_list"]) == 2
    assert len(preview_of(officer, send(officer, two, "two.xlsx", sheet="second"))["event_list"]) == 1
    missing = send(officer, two, "two.xlsx", sheet="third")
    assert missing.status_code == 422
    assert re.search(r'<input id="sheet"[^>]* autofocus>', missing.text)
    assert send(officer, EVENT, dates="yxz").status_code == 422


def test_names_in_a_zip_file_go_nowhere(officer, tmp_path):
    trap = zipped(("../../../../../tmp/arpad-was-here", EVENT.encode()))
    answer = send(officer, trap, "trap.zip")
    assert answer.status_code == 303
    assert not Path("/tmp/arpad-was-here").exists()
    assert len(kept(officer)) == 1


def test_unpacking_does_not_take_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "SECONDS", -1.0)
    with pytest.raises(InputError, match="takes too long"):
        unpack(io.BytesIO(EVENT.encode()), tmp_path / "out", most=MIB, name="x")


def test_a_preview_that_takes_too_long_is_ended(officer, monkeypatch):
    monkeypatch.setattr(previewing, "SECONDS", 0.05)
    monkeypatch.setattr(previewing.preview, "__kwdefaults__", {"seconds": 0.05})
    answer = send(officer, EVENT)
    assert answer.status_code == 422
    assert "takes longer than" in answer.text
    assert kept(officer) == []


def cut(data: bytes) -> list[bytes]:
    """A file that was cut off on the way, in several places."""
    return [data[:-1], data[:-8], data[: len(data) // 2], data[: len(data) // 10]]


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_file_that_is_cut_off_is_refused_wherever_it_is_cut(tmp_path, kind):
    """Half an event must never be taken for a whole one."""
    rows = "".join(f"Open,2026-11-01,1,Player {n * n},Player {n * n + 1},1-0\n" for n in range(20_000))  # fmt: skip
    for part in cut(PACKED[kind]((EVENT + rows).encode())):
        with pytest.raises(InputError, match="ends too early: it was cut off"):
            unpack(io.BytesIO(part), tmp_path / "out", most=4 * MIB, name="x")
        assert not (tmp_path / "out").exists()


def test_frames_of_zstd_follow_each_other(tmp_path):
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
    frames = [zstandard.compress(part.encode()) for part in (EVENT[:40], EVENT[40:])]
    unpack(io.BytesIO(frames[0] + skipped + frames[1]), tmp_path / "out", most=MIB, name="x")
    assert (tmp_path / "out").read_text() == EVENT
    with pytest.raises(InputError, match="ends too early"):
        unpack(io.BytesIO(frames[0] + frames[1][:-3]), tmp_path / "out", most=MIB, name="x")


# --- what is in it


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty|found nothing|expected"),
        (b"\0" * 5000, "binary data"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 500, "binary data"),
        (b"PAR1" + b"\0" * 500 + b"PAR1", "found parquet"),
        (b"\x1f\x8b" + b"nonsense" * 30, "cannot be unpacked"),
        (b"Rar!\x1a\x07" + b"\0" * 100, "found rar"),
        (b"white,black,result\n", "expected games"),
        (b" \n\n", "only blanks"),
        (zstandard.compress(EVENT.encode())[:-4], "cut off on the way"),
        (zipped(("a.csv", EVENT.encode()))[:-9], "cut off on the way"),
        (zipped(), "no file in the zip file"),
        (zipped(("a.csv", b"")), "the file is empty"),
        (EVENT.replace("2026-11-01", "").replace("2026-11-02", "").encode(), "date"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_sentence(officer, content, says):
    import re

    answer = send(officer, content, "thing.csv")
    assert answer.status_code == 422
    wrong = re.search(r'<p class="wrong" role="alert">(.*?)</p>', answer.text)[1]
    assert re.search(says, wrong)
    assert "thing" in wrong
    assert "--" not in wrong
    assert "/tmp" not in answer.text
    assert "Traceback" not in answer.text
    assert bool(kept(officer)) is ('name="again"' in answer.text)


@pytest.mark.parametrize(
    ("encoding", "noted"), [("utf-8-sig", ""), ("utf-16", ""), ("cp1252", "not UTF-8: read as Latin-1")]
)
def test_other_encodings_are_read_and_what_was_guessed_is_noted(officer, encoding, noted):
    text = EVENT.replace("Stranger, Sam", "Strañger, Åsa")
    where = send(officer, text.encode(encoding)).headers["location"]
    said = officer.get(f"/api{where}").json()["preview"]
    assert (said["games"], said["by_name"]) == (2, 2)
    assert [noted in each["reason"] for each in said["noted"]] == ([True] if noted else [])
    assert noted in officer.get(where).text


def test_hostile_pgn_is_bounded_and_shown_as_text(officer):
    name = '<script>alert(1)</script>\x00"&.pgn'
    game = '[Event "<script>alert(2)</script>"]\n[Date "2026.01.05"]\n[White "<img src=x onerror=alert(3)>"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 {'  # fmt: skip
    text = "x" * (1 << 16) + "} e5 1-0\n\n" + game.replace("05", "06") + "\0<script>} e5 1-0\n"
    answer = send(officer, game + text, name)
    assert answer.status_code == 303, answer.text
    page = officer.get(answer.headers["location"]).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(2)" in page


def test_a_line_of_a_hundred_megabytes_is_no_trouble(officer):
    """It fits in what may be unpacked; nothing of it is kept but the game."""
    line = b'[Event "Long"]\n[Date "2026.01.05"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 {' + b"x" * (100 * MIB) + b"} e5 1-0\n"  # fmt: skip
    answer = send(officer, zstandard.compress(line), "long.pgn.zst")
    assert answer.status_code == 303
    said = officer.get(f"/api{answer.headers['location']}").json()["preview"]
    assert said["games"] == 1


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "/etc/passwd", "a\\..\\b", "\0", ".", "x" * 5000, "…/\u202e.pgn"]
)  # fmt: skip
def test_no_name_from_a_request_reaches_the_file_system(officer, name):
    answer = send(officer, EVENT, name)
    assert answer.status_code in (303, 400, 422)
    for key in kept(officer):
        assert len(key) == 32
        assert set(key) <= set("0123456789abcdef")


@pytest.mark.parametrize("number", ["../../x", "0", "-1", "9" * 30, "%2e%2e%2fpasswd", "1"])
def test_no_path_from_a_request_reaches_the_file_system(officer, number):
    for path in (f"/upload/{number}", f"/api/upload/{number}"):
        assert officer.get(path).status_code in (404, 422)
    for what in ("confirm", "discard"):
        answer = officer.post(f"/upload/{number}/{what}", data={"token": token(officer)})
        assert answer.status_code in (404, 405, 422)


def test_fields_of_the_form_are_bounded(officer):
    assert send(officer, EVENT, event_name="x" * 201).status_code == 422
    assert send(officer, EVENT, time_control="forever").status_code == 422
    assert send(officer, EVENT, date="2026-01-01-01").status_code == 422
    assert send(officer, EVENT, **{f"f{n}": "x" for n in range(20)}).status_code == 400
    many = [("file", (f"{n}.csv", b"a")) for n in range(51)]
    assert officer.post("/upload", data={"token": token(officer)}, files=many).status_code == 400
    assert kept(officer) == []


# --- how long


def test_old_uploads_are_cleaned_up_and_wanted_ones_stay(officer, club):
    wheres = [send(officer, EVENT.replace("New Year", f"{n}.")).headers["location"] for n in "123"]
    officer.post(f"{wheres[0]}/confirm", data={"token": token(officer)})
    with Ledger.open(club) as ledger:
        assert sweep(ledger) == 0
        assert sweep(ledger, older=-2) == 2
    assert len(kept(officer)) == 1  # the confirmed one
    assert send(officer, EVENT).status_code == 303


# --- several files, and a file that needs a word


def test_a_refused_file_is_kept_until_the_form_says_what_it_does_not(officer):
    answer = send(officer, "white,black,result\nBerg,Novak,1-0\n", event_name="Winter Cup")
    assert answer.status_code == 422
    number = re.search(r'name="again" value="(\d+)"', answer.text)[1]
    assert 'value="Winter Cup"' in answer.text
    assert re.search(r'<input id="date"[^>]* autofocus>', answer.text)
    said = {"token": token(officer), "again": number, "event_name": "Winter Cup"}
    again = officer.post("/upload", data=said)
    assert again.status_code == 422
    number = re.search(r'name="again" value="(\d+)"', again.text)[1]
    assert officer.get(f"/upload/{number}").status_code == 404
    done = officer.post("/upload", data={**said, "again": number, "date": "2026-11-03"})
    assert done.status_code == 303, done.text
    seen = officer.get(f"/api{done.headers['location']}").json()["preview"]
    assert [(e["name"], e["start"]) for e in seen["event_list"]] == [("Winter Cup", "2026-11-03")]
    assert len(kept(officer)) == 1


@pytest.mark.parametrize("again", ["", "0", "-1", "x", "9" * 40, "1e3"])
def test_a_form_without_a_file_is_refused(officer, again):
    answer = officer.post("/upload", data={"token": token(officer), "again": again})
    assert answer.status_code == 422
    assert "choose a file first" in answer.text


def test_several_files_are_looked_at_at_once(officer):
    other = EVENT.replace("New Year", "Second")
    files = [("file", ("a.csv", EVENT)), ("file", ("b.csv", other)), ("file", ("c.csv", "no event"))]
    answer = officer.post("/upload", data={"token": token(officer)}, files=files)
    assert answer.status_code == 422
    assert "c.csv" in answer.text
    waiting = officer.get("/api/upload").json()["waiting"]
    assert sorted(w["name"] for w in waiting if not w["says"]) == ["a.csv", "b.csv"]
    assert (
        officer.post("/upload", data={"token": token(officer)}, files=files[:2]).headers["location"]
        == "/upload?notice=uploaded"
    )


CROSSTABLE = """
--------------------------------------------------------------------------------
 Pair | Player Name                     |Total|Round|Round|
 Num  | USCF ID / Rtg (Pre->Post)       | Pts |  1  |  2  |
--------------------------------------------------------------------------------
    1 | JOHN SMITH                      |1.5  |W   2|D   2|
   OH | 12345678 / R: 1794   ->1817     |     |W    |B    |
--------------------------------------------------------------------------------
    2 | MARY JONES                      |0.5  |L   1|D   1|
   MI | 12345679 / R: 1553   ->1543     |     |B    |W    |
--------------------------------------------------------------------------------
"""


def test_a_crosstable_of_the_uscf_is_called_as_its_file(officer):
    answer = send(officer, CROSSTABLE, "spring-swiss.txt", date="2026-05-02")
    seen = officer.get(f"/api{answer.headers['location']}").json()["preview"]
    assert [(e["name"], e["games"]) for e in seen["event_list"]] == [("spring-swiss", 2)]


BROADCAST = """[Event "Round {round}: {white} - {black}"]
[Site "https://lichess.org/broadcast/masters/round-{round}/a{round}"]
[Date "2026.01.1{round}"]
[Round "{round}.1"]
[White "{white}"]
[Black "{black}"]
[Result "1-0"]
[BroadcastName "Masters 2026"]

1. e4 e5 1-0

"""


def test_a_broadcast_of_lichess_is_one_event(officer):
    rounds = [("1", "Abel, Ann", "Bell, Bo"), ("2", "Bell, Bo", "Cole, Cy"), ("3", "Cole, Cy", "Abel, Ann")]
    text = "".join(BROADCAST.format(round=r, white=w, black=b) for r, w, b in rounds)
    answer = send(officer, text, "broadcast.pgn")
    seen = officer.get(f"/api{answer.headers['location']}").json()["preview"]
    assert [(e["name"], e["games"]) for e in seen["event_list"]] == [("Masters 2026", 3)]
