"""What the log says of lessons, in the index as in `fold`; however the log came to be, and in whatever steps."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson_drafts import NOON, Clock, numbered
from lesson_logs import folded
from senno.lessons import (
    ArchivedEvent,
    DeprecatedEvent,
    Deprecation,
    PinnedEvent,
    PromotedEvent,
    RecallEvent,
    Recorded,
    Store,
    UnarchivedEvent,
    UndeprecatedEvent,
    UndoneEvent,
    UnpinnedEvent,
    UnpromotedEvent,
)
from senno.lessons.event_lines import to_line
from senno.lessons.search import Index, Where

IDS = ("l0", "l1", "l2")


def recall(ids):
    return RecallEvent(
        recall_id="r", task_id="t", task_type="", department="", agent="", lessons=ids, tokens=0, seconds=0.0
    )


some = st.sampled_from(IDS)
jobs = st.sampled_from(["", "j1", "j2"])
events = st.one_of(
    st.builds(recall, st.lists(st.sampled_from([*IDS, "gone"]), max_size=3).map(tuple)),
    *(
        st.builds(kind, lesson_id=some, reason=st.just(""), job=jobs)
        for kind in (ArchivedEvent, UnarchivedEvent, PromotedEvent, UnpromotedEvent)
    ),
    *(st.builds(kind, lesson_id=some, by=st.just("")) for kind in (PinnedEvent, UnpinnedEvent)),
    st.builds(DeprecatedEvent, lesson_id=some, reason=st.just("obsolete"), by=st.just("")),
    st.builds(UndeprecatedEvent, lesson_id=some, reason=st.just(""), by=st.just("")),
    st.builds(UndoneEvent, job=st.sampled_from(["j1", "j2"])),
)
logs = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", "b"]), events, st.booleans()), max_size=25)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    made = Store.open(tmp_path_factory.mktemp("log") / "memory", Clock())
    fronts = ({}, {"deprecated": Deprecation("obsolete", "ann", NOON)}, {"retrieval_count": 4, "last_retrieved": NOON})
    for number, front in enumerate(fronts):
        lesson = made.add(numbered(number)).lesson
        made.rewrite_frontmatter(lesson, front)
        file = made.root / lesson.path
        file.write_text(file.read_text(encoding="utf-8").replace(lesson.id, f"l{number}"), encoding="utf-8")
    made.events.close()
    return made


def states(index):
    found = index.entries(index.top_retrieved(Where(deprecated=True), 9)).values()
    return {
        one.id: (one.archived, one.promoted, one.pinned, one.deprecated, one.retrieval_count, one.last_retrieved)
        for one in found
    }


def expected(store, recorded):
    return {
        key: (
            one.archived,
            one.promoted,
            one.pinned,
            one.deprecated is not None,
            one.retrieval_count,
            one.last_retrieved,
        )
        for key, one in folded(store.lessons(), recorded, at=NOON + timedelta(days=9)).states.items()
    }


def clear(folder):
    for file in folder.glob("*.jsonl"):
        file.unlink()


@settings(max_examples=60, deadline=None)
@given(logs, st.randoms(use_true_random=False))
def test_the_state_is_that_of_fold_in_whatever_order_and_steps_the_log_is_read(store, log, random):
    folder = store.root / "events"
    clear(folder)
    seqs = {}
    recorded = []
    for at, writer, event, _ in log:
        seqs[writer] = seqs.get(writer, 0) + 1
        recorded.append(Recorded(NOON + timedelta(seconds=at), writer, seqs[writer], event))
    index = Index.open(store.root)
    assert states(index) == expected(store, [])
    left = {writer: [one for one in recorded if one.writer == writer] for writer in ("a", "b")}
    while any(left.values()):
        writer = random.choice([name for name in left if left[name]])
        count = random.randint(1, len(left[writer]))
        with (folder / f"{writer}.jsonl").open("ab") as file:
            file.writelines(to_line(one) for one in left[writer][:count])
        left[writer] = left[writer][count:]
        if random.random() < 0.5:
            index.refresh()
    index.refresh()
    assert states(index) == expected(store, recorded)
    index.rebuild()
    assert states(index) == expected(store, recorded)
    index.close()


def lines(*given, writer="a"):
    return b"".join(to_line(Recorded(NOON, writer, seq, event)) for seq, event in enumerate(given, 1))


@pytest.mark.parametrize("how", ["cut", "replaced", "longer", "deleted", "folder"])
def test_a_log_that_is_not_what_it_was_is_read_again_whole(store, how):
    folder = store.root / "events"
    clear(folder)
    file = folder / "a.jsonl"
    file.write_bytes(lines(recall(("l0",)), recall(("l0",)), PinnedEvent(lesson_id="l1", by="ann")))
    (folder / "b.jsonl").write_bytes(lines(recall(("l1",)), writer="b"))
    index = Index.open(store.root)
    assert states(index)["l0"][4] == 2
    if how == "cut":
        file.write_bytes(lines(recall(("l0",))))
    elif how == "replaced":
        file.write_bytes(lines(recall(("l2",)), recall(("l0",)), PinnedEvent(lesson_id="l0", by="ann")))
    elif how == "longer":
        file.write_bytes(lines(*[recall(("l1",))] * 9))
    elif how == "deleted":
        file.unlink()
    else:
        clear(folder)
        folder.rmdir()
    index.refresh(deep=True)
    assert states(index) == expected(store, store.events.read().events)
    folder.mkdir(exist_ok=True)
    index.close()


def test_half_a_line_is_read_once_it_is_whole(store):
    folder = store.root / "events"
    clear(folder)
    data = lines(recall(("l0",)), recall(("l0",)))
    (folder / "a.jsonl").write_bytes(data[:-10])
    index = Index.open(store.root)
    assert states(index)["l0"][4] == 1
    index.refresh()
    assert states(index)["l0"][4] == 1
    (folder / "a.jsonl").write_bytes(data)
    index.refresh()
    assert states(index)["l0"][4] == 2
    index.close()


def test_a_line_that_says_nothing_hides_no_other(store):
    folder = store.root / "events"
    clear(folder)
    (folder / "a.jsonl").write_bytes(b"{}\nnonsense\n" + lines(recall(("l0",))))
    index = Index.open(store.root)
    assert states(index)["l0"][4] == 1
    index.close()
