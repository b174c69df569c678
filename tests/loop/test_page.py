"""The page of a run: one file, no script, nothing fetched, everything escaped."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html.parser import HTMLParser

import pytest

from senno.ledger import CallRow, RunRecord, RunRow, StepRow
from senno.loop import STOP_WORDS
from senno.loop.page import page, write_page

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTILE = "</pre></style><script>alert(1)</script><img src=x onerror=alert(1)> & \" ' {{ 7*7 }} \u202e\x00"
ITEM = {
    "name": "Enigma (2001)", "value": {"title": "Enigma"}, "state": "accepted", "round": 1, "text": "Codes.",
    "checks": [
        {"check": "EXISTS", "status": "pass", "explanation": "", "sources": ["E1"]},
        {"check": "FIT", "status": "unverified", "explanation": "cannot tell", "sources": []},
    ],
    "probabilities": {"criteria_fit": 0.914}, "verdict": "ACCEPT", "why": [],
    "evidence": [{"id": "E1", "source": "catalogue", "says": "A film.", "data": {}}],
}  # fmt: skip
RESULT = {
    "items": [ITEM], "left_out": [{**ITEM, "name": "Pi (1998)", "state": "refused", "why": ["FIT: fail"]}],
    "intro": "Here.", "outro": "There.", "questions": ["Which?"], "notes": ["a note"], "error": None,
    "accepted": 1, "wanted": 2, "missing": 1,
}  # fmt: skip
CONFIG = {
    "models": {"actor": "python", "judge": "m"}, "names": {"actor": "Cinephile"},
    "loop": {"files": {"a.md": "0" * 64}},
}  # fmt: skip
RUN = RunRow("20260102-030405-abcd", "loop", "movies", "films", START, START, "ended", "rounds", CONFIG, RESULT)
STEP = StepRow(RUN.id, 1, "actor", 1, START, 1.5, 1, 1234, 56, Decimal("0.0019"), {"movies": []}, ["re-asked"], None)
CALL = CallRow(
    RUN.id, "actor", "m", "m-1", "{}", "{}", 1234, 56, None, Decimal("0.0019"), START, 1.5, "ok", None
)  # fmt: skip


class Reader(HTMLParser):
    """Every tag with its attributes, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def read(run=RUN, steps=(STEP,), calls=(CALL,)):
    return Reader(page(RunRecord(run, tuple(steps), tuple(calls))))


OURS = {*ITEM, *RESULT, *CONFIG, *ITEM["evidence"][0], *ITEM["checks"][0], "files"}
CLOSED = {"pass", "fail", "unverified", "accepted", "refused"}


def hostile(value):
    """The same value with every text in it hostile, but for keys and words that code gives."""
    if isinstance(value, dict):
        return {(key if key in OURS else HOSTILE): hostile(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [hostile(inner) for inner in value]
    return HOSTILE if isinstance(value, str) and value not in CLOSED else value


def test_the_answer_what_was_left_out_and_what_it_stands_on_are_on_the_page():
    text = " ".join(read().text.split())
    for said in ("1 of 2 accepted", "Enigma (2001)", "criteria_fit: p 0.91", "Pi (1998)", "Codes.",
                 "fail", "FIT (unverified): cannot tell", "E1 catalogueA film.", "a note",
                 "Which?", "↑ 1,234 ↓ 56 tokens", "$0.0019", STOP_WORDS["rounds"], "Cinephile", "2026-01-02 03:04:05",
                 "a.md: 0000000000000000"):  # fmt: skip
        assert said in text, said


def test_hostile_text_is_text_and_nothing_else():
    plain, attacked = read(), read(
        replace(RUN, name=HOSTILE, request=HOSTILE, config=hostile(CONFIG), result=hostile(RESULT)),
        [replace(STEP, role=HOSTILE, output=hostile({"a": "b"}), notes=[HOSTILE], error=HOSTILE)],
        [replace(CALL, role=HOSTILE, model_asked=HOSTILE)],
    )  # fmt: skip
    assert {tag for tag, _ in attacked.tags} == {tag for tag, _ in plain.tags}
    assert not [name for _, attributes in attacked.tags for name in attributes if name.startswith("on")]
    assert "alert(1)" in attacked.text
    assert "{{ 7*7 }}" in attacked.text
    assert not {"\u202e", "\x00"} & set(attacked.text)


def test_nothing_is_fetched_and_no_script_may_run():
    tags = read().tags
    assert not {tag for tag, _ in tags} & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "a"}
    assert not [name for _, attributes in tags for name in attributes if name in {"src", "href", "action", "srcset"}]
    policy = next(a["content"] for t, a in tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert not re.search(r"url\(|@import|https?://", page(RunRecord(RUN, (STEP,), (CALL,))))


def test_a_run_without_a_result_is_told_as_one_that_never_ended():
    cut = replace(RUN, ended=None, status="interrupted", stop=None, result=None)
    text = read(cut).text
    assert "This run never ended" in text
    assert "No item was accepted." in text
    assert "Cinephile" in text
    assert "This run never ended" in read(cut, steps=(), calls=()).text


@pytest.mark.parametrize("stop", [*STOP_WORDS, "another"])
def test_every_stop_reason_has_a_page(stop):
    assert stop in read(replace(RUN, stop=stop)).text


def test_figures_that_nobody_knows_are_not_zero():
    unknown = replace(CALL, tokens_in=None, tokens_out=None, cost=None)
    text = read(steps=[replace(STEP, tokens_in=None, cost=None)], calls=[unknown]).text
    assert text.count("not known") >= 4
    assert "none no language model took part" in " ".join(read(calls=()).text.split())


def test_steps_stand_on_a_time_line_that_ends_with_the_last():
    later = replace(STEP, number=2, started=START + timedelta(seconds=1.5), seconds=0.5)
    bars = [a["style"] for t, a in read(steps=[STEP, later]).tags if t == "i"]
    assert bars == ["left:0.0%;width:75.0%", "left:75.0%;width:25.0%"]


def test_a_page_of_half_characters_is_written(tmp_path):
    write_page(RunRecord(replace(RUN, result={**RESULT, "intro": "a\ud800"}), (), ()), tmp_path / "page.html")
    assert "a\ufffd" in (tmp_path / "page.html").read_text()
