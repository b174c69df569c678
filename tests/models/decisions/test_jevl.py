from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.errors import ConfigError, FileFormatError
from senno.models import Choice, Decision, Distribution, Noul, Probability, Score, Unanswered
from senno.models.decisions.digests import record_id, request_digest
from senno.models.decisions.form import question_forms
from senno.models.decisions.jevl import JevlRecord, read_record, record_line, record_of
from senno.models.decisions.jevl_file import append_record, read_jevl
from senno.models.protocol import Usage

NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
QUESTIONS = {
    "sure": Noul("Is it sure?", true="yes"),
    "tone": Choice("Which tone?", {"warm": "kind", "cold": None}),
    "urgency": Score("How urgent?", ("low", "high")),
}
ANSWERS = {
    "sure": Probability(0.25),
    "tone": Distribution({"warm": 0.7, "cold": 0.3}),
    "urgency": Distribution({"0": 0.1, "1": 0.9}),
}
DECISION = Decision(ANSWERS, "jev-1.13.0", Usage(90, 3), "systemone")


def record(state="t", decision=DECISION, questions=QUESTIONS, name="typesafe:jev-latest") -> JevlRecord:
    made = record_of(name, state, questions, decision, NOW)
    assert made is not None
    return made


def lines(path) -> list:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_record_has_the_published_form() -> None:
    questions = question_forms(QUESTIONS)
    assert json.loads(record_line(record())) == {
        "v": 1,
        "id": record_id("jev-1.13.0", "t", questions),
        "ts": "2026-12-01T05:00:00Z",
        "model": "jev-1.13.0",
        "request": {"state": "t", "questions": questions},
        "answers": {
            "sure": {"type": "noul", "noul": 0.25},
            "tone": {"type": "choice", "choice": "warm", "probabilities": {"warm": 0.7, "cold": 0.3}},
            "urgency": {
                "type": "score",
                "score": 0.9,
                "legend": {"0": "low", "1": "high"},
                "probabilities": {"0": 0.1, "1": 0.9},
            },
        },
        "usage": {"input_tokens": 90, "output_tokens": 3},
        "meta": {
            "requested_model": "jev-latest",
            "senno_name": "typesafe:jev-latest",
            "senno_id": request_digest("jev-latest", "t", questions),
            "senno_method": "systemone",
        },
    }


def test_the_public_id_is_the_one_that_other_programs_make() -> None:
    # By jevkit-core 0.2.0: record_id("jev-1.13.0", {"b": "è", "a": [1, 2.5]}, {"q": {...}}).
    questions = {"q": {"type": "noul", "instructions": "Is it?"}}
    expected = "sha256:8219b685a782db964a7654320d3e149e4a146c2016f4a9fffac61c0d9d12f922"
    assert record_id("jev-1.13.0", {"b": "è", "a": [1, 2.5]}, questions) == expected


def test_the_public_id_does_not_see_the_order_of_options_and_senno_s_does() -> None:
    one = {"tone": {"type": "choice", "criteria": {"warm": None, "cold": None}}}
    other = {"tone": {"type": "choice", "criteria": {"cold": None, "warm": None}}}
    assert record_id("m", "t", one) == record_id("m", "t", other)
    assert request_digest("m", "t", one) != request_digest("m", "t", other)


def test_the_order_of_questions_is_no_part_of_a_request() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert request_digest("m", "t", one) == request_digest("m", "t", other)


@pytest.mark.parametrize("digest", [record_id, request_digest])
def test_a_state_that_is_no_json_has_no_digest(digest) -> None:
    with pytest.raises(ConfigError, match="a number that JSON does not have"):
        digest("m", {"x": float("nan")}, {})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.dictionaries(st.text(min_size=1).filter(lambda key: key != "meta"), json_values, max_size=3))
def test_a_record_is_read_back_as_it_was_with_the_keys_that_nobody_knows(state, extra) -> None:
    made = record(state)
    data = {**extra, **made.data, "meta": {**made.meta, "note": extra}}
    line = record_line(JevlRecord(data)).encode("utf-8", "backslashreplace").decode()
    read = read_record(line, "f:1")
    assert read.data == data
    assert record_line(read) == record_line(JevlRecord(data))
    assert read.meta.get("senno_redacted") or read.digest == made.data["meta"]["senno_id"]


GOOD = json.loads(record_line(record()))


def changed(**keys) -> str:
    return json.dumps({**GOOD, **keys})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no", "one JSON object a line"),
        ("[]", "one JSON object a line"),
        ('{"v": 1', "one JSON object a line"),
        ("[" * 200_000, "nested too deeply"),
        ('{"v": 1, "v": 1}', "stands twice"),
        (changed(v=2), "upgrade senno"),
        (changed(v="1"), "expected 1"),
        (changed(v=True), "expected 1"),
        (changed(v=0), "expected 1"),
        (json.dumps({key: value for key, value in GOOD.items() if key != "v"}), "f:7: v: found nothing"),
        *(
            (changed(**{key: None}), f"f:7: {key}: found nothing")
            for key in ("id", "ts", "model", "request", "answers")
        ),
        (changed(answers=[]), "expected a mapping"),
        (changed(request={"state": "t"}), "f:7: request.questions: found nothing"),
        (changed(model="\x1b[2J", id=7), "expected text"),
    ],
)
def test_a_line_that_is_no_record_is_refused_with_its_place(line, said) -> None:
    with pytest.raises(FileFormatError) as refused:
        read_record(line, "f:7")
    assert str(refused.value).startswith("f:7")
    assert said in str(refused.value)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("change", [{"state": "another"}, {"questions": {}}])
def test_a_request_that_was_changed_afterwards_is_refused(change) -> None:
    read = read_record(changed(request={**GOOD["request"], **change}), "f:7")
    with pytest.raises(FileFormatError, match="changed after it was recorded"):
        _ = read.digest


def test_a_secret_is_not_written_and_the_record_is_found_all_the_same(monkeypatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "correct-horse-battery")
    state = {"text": "the key is correct-horse-battery"}
    made = record(state)
    assert "correct-horse" not in record_line(made)
    assert made.meta["senno_redacted"] is True
    assert read_record(record_line(made), "f:1").digest == request_digest(
        "jev-latest", state, question_forms(QUESTIONS)
    )


@pytest.mark.parametrize(
    "decision",
    [Decision(ANSWERS, None), Decision(dict.fromkeys(ANSWERS, Unanswered("no")), "jev-1.13.0")],
)
def test_where_nobody_answered_there_is_no_record(decision) -> None:
    assert record_of("m", "t", QUESTIONS, decision, NOW) is None


def test_what_had_no_answer_stands_in_the_record_with_its_reason() -> None:
    made = record(decision=Decision({**ANSWERS, "sure": Unanswered("refused")}, "jev-1.13.0"))
    assert list(made.answers) == ["tone", "urgency"]
    assert made.meta["senno_unanswered"] == {"sure": "refused"}
    assert "usage" not in made.data


# The file


def test_records_are_appended_and_read_in_their_order(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    for state in ("a", "b\ud800", "a"):
        assert append_record(path, record(state)) == ()
    found = read_jevl(path)
    assert [each.state for each in found.records] == ["a", "b\ud800", "a"]
    assert [each.where for each in found.records] == [f"{path}:{n}" for n in (1, 2, 3)]
    assert found.notes == ()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("half", [b'{"v":1,"id":"sha', b"\xff\xfe", '{"v":1,"id":"è'.encode()[:-1], b" {"])
def test_half_a_record_at_the_end_is_left_out_told_and_set_aside_by_the_next_writer(tmp_path, half) -> None:
    path = tmp_path / "f.jevl"
    append_record(path, record("a"))
    with path.open("ab") as file:
        file.write(half)
    found = read_jevl(path)
    assert [each.state for each in found.records] == ["a"]
    assert found.notes == (f"{path}:2: half of a record, left out: its writer was stopped",)
    assert path.read_bytes().endswith(half)

    (told,) = append_record(path, record("b"))
    assert "f.jevl.half" in told
    assert (tmp_path / "f.jevl.half").read_bytes() == half + b"\n"
    assert [each.state for each in read_jevl(path).records] == ["a", "b"]
    assert read_jevl(path).notes == ()


@pytest.mark.parametrize(
    "content",
    [
        b'{"verdicts": [], "weights": {}}',
        b'{"verdicts": []}\n',
        b'{\n  "v": 1\n}\n',
        b"my notes",
        b"\xff\xfe{\x00",
        b'[{"v": 1}]\n',
        b"SQLite format 3\x00" + b"\0" * 100_000,
    ],
)
def test_a_file_of_another_kind_is_left_as_it_is(tmp_path, content) -> None:
    path = tmp_path / "policy.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"holds no \.jevl records"):
        append_record(path, record())
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b'{"v', b'{"v":1,"id', b'{"id": "x", "v": 1}\n'])
def test_a_file_of_records_or_of_nothing_is_written_to(tmp_path, content) -> None:
    path = tmp_path / "f.jevl"
    path.write_bytes(content)
    append_record(path, record("after"))
    assert path.read_bytes().endswith(record_line(record("after")).encode())


def test_a_long_half_record_is_set_aside_whole(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    half = record_line(record("x" * 300_000)).encode()[:-5]
    path.write_bytes(record_line(record("a")).encode() + half)
    append_record(path, record("b"))
    assert (tmp_path / "f.jevl.half").read_bytes() == half + b"\n"
    assert [each.state for each in read_jevl(path).records] == ["a", "b"]


def test_a_whole_record_without_a_line_end_is_kept(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    path.write_text(record_line(record("a")).rstrip("\n"), encoding="utf-8")
    assert read_jevl(path).notes == ()
    assert append_record(path, record("b")) == ()
    assert [each.state for each in read_jevl(path).records] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no\n", ":2: Expecting value"), (b"\xff\n", ":2: byte 0 is not UTF-8"), (b'{"v": 9}\n', ":2: v: version 9")],
)
def test_a_line_in_the_middle_that_is_no_record_is_an_error_with_its_number(tmp_path, content, said) -> None:
    path = tmp_path / "f.jevl"
    path.write_bytes(record_line(record("a")).encode() + content + record_line(record("b")).encode())
    with pytest.raises(FileFormatError) as refused:
        read_jevl(path)
    assert f"{path}{said}" in str(refused.value)


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    path.write_bytes(b"\xef\xbb\xbf\n" + record_line(record("a")).encode().replace(b"\n", b"\r\n") + b"\n  \n")
    assert [each.state for each in read_jevl(path).records] == ["a"]


def test_a_file_that_is_not_there_is_told_with_what_to_do(tmp_path) -> None:
    with pytest.raises(ConfigError, match="no such file; record one first"):
        read_jevl(tmp_path / "none.jevl")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_jevl(tmp_path)


def test_a_place_that_cannot_be_written_is_told(tmp_path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        append_record(tmp_path / "no" / "f.jevl", record())


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from senno.models import Decision, Noul, Probability
from senno.models.decisions.jevl import record_of
from senno.models.decisions.jevl_file import append_record
path, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for n in range(count):
    made = record_of("m", f"{who} {n} " + "x" * 20_000, {"q": Noul("Is it?")},
                     Decision({"q": Probability(0.5)}, "m"), datetime.now(UTC))
    append_record(path, made)
    print(n, flush=True)
"""


def writer(path, who, count) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, str(path), who, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_write_at_once_lose_nothing(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    running = [writer(path, who, 40) for who in "abc"]
    for process in running:
        process.communicate()
        assert process.returncode == 0
    found = read_jevl(path)
    states = [str(each.state).split()[:2] for each in found.records]
    for who in "abc":
        assert [number for name, number in states if name == who] == [str(n) for n in range(40)]


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_what_was_told_as_written_is_there_after_a_kill_and_the_next_writer_goes_on(tmp_path) -> None:
    path = tmp_path / "f.jevl"
    process = writer(path, "a", 100_000)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    told += process.communicate()[0].splitlines(keepends=True)
    whole = [line for line in told if line.endswith("\n")]
    append_record(path, record("after"))
    states = [str(each.state) for each in read_jevl(path).records]
    assert states[-1] == "after"
    assert len(states) - 1 >= len(whole)
