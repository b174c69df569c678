"""The log of events.

A number in the name of a test is that of a group of faults which users of other memories reported (3: what cannot be
read was taken for deleted; 25: dates; 27: line ends and byte order marks).
"""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_drafts import NOON, Clock
from senno.errors import ConfigError, SennoError
from senno.lessons import (
    ArchivedEvent,
    DeprecatedEvent,
    DuplicateEvent,
    EventLog,
    OtherEvent,
    OutcomeEvent,
    PinnedEvent,
    PromotedEvent,
    RecallEvent,
    Recorded,
    ReflectEvent,
    TaskEvent,
    UnarchivedEvent,
    UndeprecatedEvent,
    UndoneEvent,
    UnpinnedEvent,
    UnpromotedEvent,
    WrittenEvent,
)
from senno.lessons.event_lines import BadLine, from_line, to_line

WHO = {"task_id": "t", "task_type": "parsing", "department": "sales", "agent": "anna"}
MOVED = {"lesson_id": "x", "reason": "idle", "job": "j"}
REVIEWED = {"lesson_id": "x", "reason": "duplicate", "by": "anna", "merged_into": "y"}
EVENTS = [
    TaskEvent(**WHO, stated=0.4, profile=0.5, confidence=0.44, attempt="ask", difficulty="hard"),
    TaskEvent(**WHO, stated=None, profile=0.5, confidence=0.5, attempt="attempt"),
    RecallEvent(**WHO, recall_id="r", lessons=("x", "y"), tokens=120, seconds=0.01),
    OutcomeEvent(**WHO, outcome="failure", failure_mode="timeout", use={"x": "harmed"}, tokens=9, seconds=1.5),
    OutcomeEvent(**WHO, outcome="success"),
    ReflectEvent(task_id="t", task_type="p", department="", reflect=False, reason="routine"),
    WrittenEvent(lesson_id="x", task_id="t", tokens=10, seconds=0.5),
    WrittenEvent(lesson_id="x", task_id="t"),
    DuplicateEvent(lesson_id="x", task_id="t"),
    ArchivedEvent(**MOVED),
    UnarchivedEvent(**MOVED),
    PromotedEvent(**MOVED),
    UnpromotedEvent(**MOVED),
    UndoneEvent(job="j"),
    PinnedEvent(lesson_id="x", by="anna"),
    UnpinnedEvent(lesson_id="x", by="anna"),
    DeprecatedEvent(**REVIEWED),
    UndeprecatedEvent(**REVIEWED),
    OtherEvent(type="dreamt", fields={"of": ["sheep"]}),
]


@pytest.fixture
def log(tmp_path):
    return EventLog(tmp_path / "events", Clock())


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_an_event_is_read_back(log, event):
    recorded = log.append(event)
    read = log.read()
    assert read.events == (recorded,)
    assert read.events[0].event == event
    assert not read.problems


def test_a_line_has_the_documented_form(log):
    log.append(DuplicateEvent(lesson_id="x", task_id="t"))
    (file,) = log.folder.iterdir()
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "v": 1,
        "at": "2026-11-30T12:00:02.000000Z",
        "writer": file.stem,
        "seq": 1,
        "type": "duplicate",
        "lesson_id": "x",
        "task_id": "t",
        "draft_id": "",
    }


@given(st.text() | st.sampled_from(["a\u2028b", "a\u2029b", "a\x85b", "a\nb", "a\r\nb", "\ud800", "\ufeff", "\x00"]))
def test_27_one_event_is_one_line_whatever_it_says(text):
    line = to_line(Recorded(NOON, "w", 1, WrittenEvent(lesson_id=text, task_id="t")))
    assert len(line.decode().splitlines()) == 1
    assert from_line(line).event == WrittenEvent(lesson_id=text, task_id="t")


def test_27_a_line_of_another_program_is_split_at_line_feeds_alone(log):
    log.folder.mkdir()
    line = '{"v":1,"at":"2026-11-30T12:00:00Z","writer":"w","seq":1,"type":"undone","job":"a\u2028b\u0085c"}'
    (log.folder / "w.jsonl").write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n")
    assert [r.event for r in log.read().events] == [UndoneEvent(job="a\u2028b\u0085c")]


def test_logs_merge_by_moment_writer_and_number(tmp_path):
    still = Clock(NOON, timedelta(0))
    logs = [EventLog(tmp_path, still) for _ in range(3)]
    for turn in range(4):
        for one in logs:
            one.append(UndoneEvent(job=str(turn)))
    late, early = EventLog(tmp_path, lambda: NOON + timedelta(1)), EventLog(tmp_path, lambda: NOON - timedelta(1))
    last, first = late.append(UndoneEvent(job="late")), early.append(UndoneEvent(job="early"))
    events = logs[0].read().events
    assert events == tuple(sorted(events, key=lambda r: (r.at, r.writer, r.seq)))
    assert (events[0], events[-1], len(events)) == (first, last, 14)
    assert [r.seq for r in events[1:-1]] == [1, 2, 3, 4] * 3


def test_25_moments_are_compared_as_moments_not_as_text(log):
    log.folder.mkdir()
    at = ["2026-11-30T15:30:00+03:00", "2026-11-30T12:29:00Z", "2026-11-30T12:31:00", "2026-11-30T07:32:00-05:00"]
    lines = [f'{{"v":1,"at":"{a}","writer":"w","seq":{n},"type":"undone","job":"{n}"}}\n' for n, a in enumerate(at)]
    (log.folder / "w.jsonl").write_text("".join(lines), encoding="utf-8")
    assert [r.event.job for r in log.read().events] == ["1", "0", "2", "3"]
    assert {r.at.tzinfo for r in log.read().events} == {UTC}


def test_a_torn_last_line_is_reported_and_read_when_it_is_whole(log):
    log.append(UndoneEvent(job="1"))
    (file,) = log.folder.iterdir()
    whole = to_line(Recorded(NOON, file.stem, 2, UndoneEvent(job="2")))
    with file.open("ab") as half:
        half.write(whole[:20])
    torn = log.read()
    assert [r.event.job for r in torn.events] == ["1"]
    assert [str(p) for p in torn.problems] == [f"{file}:2: a last line of 20 bytes without its end: torn"]
    with file.open("ab") as rest:
        rest.write(whole[20:])
    again = log.read(torn.offsets)
    assert ([r.event.job for r in again.events], again.problems) == (["2"], ())


def test_reading_goes_on_where_it_stopped(log, tmp_path):
    log.append(UndoneEvent(job="1"))
    first = log.read()
    assert log.read(first.offsets).events == ()
    log.append(UndoneEvent(job="2"))
    EventLog(log.folder, Clock()).append(UndoneEvent(job="3"))
    second = log.read(first.offsets)
    assert {r.event.job for r in second.events} == {"2", "3"}
    assert log.read(second.offsets).events == ()


def test_a_file_that_was_cut_is_reported_and_read_again(log):
    log.append(UndoneEvent(job="1"))
    log.append(UndoneEvent(job="2"))
    (file,) = log.folder.iterdir()
    offsets = log.read().offsets
    file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
    read = log.read(offsets)
    assert [r.event.job for r in read.events] == ["1"]
    assert "it was cut" in str(read.problems[0])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("<<<<<<< HEAD", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"v":1,"at":"2026-11-30","seq":1,"type":"undone","job":"j"}', "expected v"),
        ('{"v":1,"at":"2026-11-30","writer":"w","seq":true,"type":"undone","job":"j"}', "expected v"),
        ('{"v":1,"at":"soon","writer":"w","seq":1,"type":"undone","job":"j"}', "at: 'soon' is no moment"),
        ('{"v":1,"at":"2026-11-30","writer":"w","seq":1,"type":"undone"}', "undone.job: field required"),
        (
            '{"v":1,"at":"2026-11-30","writer":"w","seq":1,"type":"written","lesson_id":1,"task_id":"t"}',
            "written.lesson_id",
        ),
        ('{"v":1,"at":"2026-11-30","writer":"w","seq":1,"type":"undone","job":NaN}', "NaN is no JSON value"),
        ('{"a":' * 5000, "not JSON"),
    ],
)
def test_a_bad_line_is_reported_and_the_others_are_read(log, line, says):
    with pytest.raises(BadLine, match=says):
        from_line(line.encode())
    log.append(UndoneEvent(job="1"))
    (file,) = log.folder.iterdir()
    file.write_bytes(line.encode() + b"\n" + b"\xff\n" + file.read_bytes())
    read = log.read()
    assert [r.event for r in read.events] == [UndoneEvent(job="1")]
    assert [p.line for p in read.problems] == [1, 2]
    assert says in read.problems[0].problem


def test_what_a_newer_senno_wrote_is_kept_and_ignored(log):
    head = '"at":"2026-11-30","writer":"w","seq":1'
    added = from_line(f'{{"v":1,{head},"type":"undone","job":"j","mood":"blue"}}'.encode())
    assert added.event == UndoneEvent(job="j")
    assert from_line(f'{{"v":2,{head},"type":"undone","job":"j"}}'.encode()).event == OtherEvent(
        type="undone", fields={"job": "j"}
    )


def test_29_secrets_do_not_reach_the_log(log):
    recorded = log.append(OutcomeEvent(**WHO, outcome="failure", failure_mode="密钥sk-abcdefghij1234567890ABCD的"))
    assert recorded.event.failure_mode == "密钥[redacted:openai-key]的"
    assert log.read().events == (recorded,)


def test_threads_share_a_log(log):
    threads = [threading.Thread(target=lambda: [log.append(UndoneEvent(job="j")) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.seq for r in log.read().events) == list(range(1, 81))
    assert len(list(log.folder.iterdir())) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_is_a_writer_of_its_own(log):
    log.append(UndoneEvent(job="parent"))
    child = os.fork()
    if child == 0:
        log.append(UndoneEvent(job="child"))
        os._exit(0)
    os.waitpid(child, 0)
    log.append(UndoneEvent(job="parent"))
    assert sorted((r.event.job, r.seq) for r in log.read().events) == [("child", 1), ("parent", 1), ("parent", 2)]
    assert len({r.writer for r in log.read().events}) == 2


def test_after_a_full_disk_nothing_is_glued_to_half_a_line(log, monkeypatch):
    log.append(UndoneEvent(job="1"))
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda handle, data: write(handle, data[:10]))
        with pytest.raises(SennoError, match="half of a line"):
            log.append(UndoneEvent(job="2"))
    log.append(UndoneEvent(job="3"))
    read = log.read()
    assert [r.event.job for r in read.events] == ["1", "3"]
    assert "torn" in str(read.problems[0])


def test_3_a_file_that_cannot_be_read_is_reported(log, monkeypatch):
    log.append(UndoneEvent(job="1"))
    EventLog(log.folder, Clock()).append(UndoneEvent(job="2"))
    closed = min(log.folder.iterdir())
    opened = type(closed).open

    def refuse(path, *args, **rest):
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **rest)

    monkeypatch.setattr(type(closed), "open", refuse)
    read = log.read()
    assert len(read.events) == 1
    assert [str(p) for p in read.problems] == [f"{closed}: cannot be read (Permission denied)"]


def test_a_log_that_is_not_there_is_empty(log):
    assert log.read().events == ()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "events").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be written"):
        EventLog(tmp_path / "events", Clock()).append(UndoneEvent(job="1"))
