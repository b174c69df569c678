"""`senno.Lessons`: memory around any agent, in two calls or a context manager."""

import asyncio
import threading

import pytest

import senno
from lesson_drafts import Clock
from senno import config
from senno.errors import ConfigError, LessonRefused
from words_embedder import WordsEmbedder

TASK = "Reconcile the Swiss invoices"
LESSON = {
    "what": "The total of the Swiss invoices was taken as euro.",
    "why": "The currency stands in the header only, and the header was cut off.",
    "rule": "Read the currency from the header before any sum; where it is missing, ask.",
}


@pytest.fixture(autouse=True)
def _small_embedder(monkeypatch):
    monkeypatch.setattr("senno.lessons.agent.embedder", lambda *_, **__: WordsEmbedder())


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
