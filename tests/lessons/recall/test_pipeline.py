"""Recall as a whole, over a real index. A number in a name is that of a group of faults of other memories."""

import itertools
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson_drafts import Clock, draft
from senno.config import LessonRules, Lessons
from senno.errors import ModelError
from senno.lessons import ArchivedEvent, DeprecatedEvent, PromotedEvent, RecallEvent, Store
from senno.lessons.recall import Ask, Rules, readable, recall
from senno.lessons.recall.held import Held
from senno.lessons.search import Index, Where
from senno.models.reranking import Reranked
from words_embedder import WordsEmbedder

CURRENCY = {
    "what": "The total of the Swiss invoices was taken as euro.",
    "why": "The currency stands in the header only, and the header was cut off.",
    "rule": "Read the currency from the header before any sum; where it is missing, ask.",
}
DATES = {
    "what": "The parser read 03/04 as the fourth of March.",
    "why": "It took the order of day and month from the locale of the server.",
    "rule": "Give the format of a date to the parser; never let the locale choose it.",
}
REFUND = {
    "what": "The refund of an order was paid twice.",
    "why": "The first call timed out after the payment had gone through, and it was sent again.",
    "rule": "Send a refund with an idempotency key; after a timeout look the payment up first.",
}
EVERYTHING = Rules(floor=-1.0, mmr=0.9, feedback=1)
ASK = Ask("sum the Swiss invoices by currency")


class Memory:
    """A store with an index and a small embedder."""

    def __init__(self, root):
        self.embedder = WordsEmbedder()
        self.index = Index.open(root, self.embedder)
        self.store = Store.open(root, Clock(), self.index)
        self.number = itertools.count()

    def add(self, texts, **more):
        return self.store.add(
            draft(**{"task_id": f"t{next(self.number)}", "department": "finance", **texts, **more})
        ).lesson

    def recall(self, ask=ASK, rules=EVERYTHING, **more):
        self.index.refresh()
        self.index.embed_pending()
        return recall(self.index, more.pop("embedder", self.embedder), ask, rules, **more)


@pytest.fixture
def memory(tmp_path):
    made = Memory(tmp_path / "memory")
    yield made
    made.index.close()


def repr_short(text):
    return repr(text[:12])


def ids(found):
    return [one.lesson.id for one in found.lessons]


def notes(found):
    return " · ".join(found.notes)


def test_the_right_lesson_comes_first_with_the_reasons(memory):
    right, *_ = (memory.add(texts) for texts in (CURRENCY, DATES, REFUND))
    found = memory.recall()
    assert ids(found)[0] == right.id
    assert len(found.lessons) == 3
    why = found.lessons[0].why
    assert set(why.stages) >= {"words", "dense", "feedback", "fused", "mmr"}
    assert why.stages["words"].rank == 1
    assert 0 < why.coverage <= 1
    assert why.cosine is not None
    assert {stage.name: stage.ran for stage in found.stages} == {
        "words": True,
        "dense": True,
        "feedback": True,
        "mmr": True,
        "rerank": False,
    }
    assert right.rule in found.block


def test_a_recall_is_an_event_with_what_was_shown(memory):
    right = memory.add(CURRENCY)
    found = memory.recall(Ask(ASK.task, "finance", "bot", "reconcile", "T-1"))
    event = found.event()
    assert isinstance(event, RecallEvent)
    assert (event.lessons, event.task_id, event.agent) == ((right.id,), "T-1", "bot")
    assert (event.recall_id in found.block, event.tokens) == (True, found.tokens)


def test_what_the_block_had_no_room_for_was_not_shown(memory):
    for n in range(4):
        memory.add({**CURRENCY, "rule": f"Rule {n}: " + f"word{n} currency " * 120})
    found = memory.recall(rules=Rules(floor=-1.0, tokens=400))
    assert len(found.event().lessons) < len(found.lessons)
    assert [one.text for one in found.lessons] == sorted((one.text for one in found.lessons), reverse=True)
    assert "room for" in notes(found)


def test_five_is_the_most_and_none_is_an_answer(memory):
    for n in range(12):
        memory.add({**CURRENCY, "what": f"Swiss invoices {n} {n * 7} {n * 13} were wrong {n * 3} times {n * 17}."})
    assert len(memory.recall().lessons) == 5
    assert memory.recall(Ask("xylophone lessons"), Rules(floor=1.0)).lessons == ()
    assert memory.recall(Ask("xylophone lessons"), Rules(floor=1.0)).block == ""


def test_an_empty_store_gives_nothing(memory):
    assert memory.recall().lessons == ()


@pytest.mark.parametrize(
    "text", ["", "   ", "…!?", "\ud800", "\0", '" OR 1=1 --', "NEAR(a b) AND (", "*", "a" * 2_000_000]
)
def test_any_task_is_looked_for_and_none_is_syntax(memory, text):
    memory.add(CURRENCY)
    assert isinstance(memory.recall(Ask(text)).lessons, tuple)


def test_19_ten_that_say_nearly_the_same_leave_room_for_the_answer(memory):
    words = [f"alpha{n}" for n in range(10)]
    for word in words:
        memory.add(
            {
                **DATES,
                "rule": f"Where the currency {word} is read from invoices keep the order of Swiss columns {word}.",
            }
        )
    answer = memory.add({**CURRENCY, "task": ASK.task})
    assert answer.id in ids(memory.recall())


def test_24_a_copy_in_another_department_is_shown_once(memory):
    first = memory.add(CURRENCY)
    twin = memory.add(CURRENCY, department="sales")
    found = memory.recall()
    assert len({first.id, twin.id} & set(ids(found))) == 1
    assert set(found.lessons[0].why.same) | set(ids(found)) == {first.id, twin.id}


def test_5_a_lesson_whose_file_is_gone_is_not_recalled(memory):
    right, other = memory.add(CURRENCY), memory.add(REFUND)
    memory.recall()
    (memory.store.root / right.path).unlink()
    found = recall(memory.index, memory.embedder, ASK, EVERYTHING)  # before any refresh
    assert ids(found) == [other.id]


def test_an_edited_lesson_is_shown_as_it_is_now(memory):
    right = memory.add(CURRENCY)
    memory.recall()
    file = memory.store.root / right.path
    file.write_text(file.read_text("utf-8").replace("where it is missing, ask", "if missing, stop"), "utf-8")
    found = recall(memory.index, memory.embedder, ASK, EVERYTHING)
    assert "if missing, stop" in found.block


def test_8_a_deprecated_lesson_is_never_recalled_and_comes_back_when_learned_again(memory):
    old = memory.add(CURRENCY)
    memory.store.events.append(DeprecatedEvent(lesson_id=old.id, reason="obsolete", by="ann"))
    assert ids(memory.recall()) == []
    new = memory.add(CURRENCY)
    assert ids(memory.recall()) == [new.id]


@pytest.mark.parametrize(("rule", "first"), [("source", "promoted"), ("bounded", "promoted"), ("none", None)])
def test_what_became_of_a_lesson_weighs_in(memory, rule, first):
    archived = memory.add({**CURRENCY, "what": "Swiss invoices were summed in the wrong currency by the first agent."})
    promoted = memory.add({**CURRENCY, "what": "Swiss invoices were summed in a wrong currency by another agent."})
    memory.store.events.append(ArchivedEvent(lesson_id=archived.id, reason="idle", job="j"))
    memory.store.events.append(PromotedEvent(lesson_id=promoted.id, reason="used", job="j"))
    found = memory.recall(rules=Rules(floor=-1.0, multipliers=rule))
    factors = {one.lesson.id: one.why.multiplier for one in found.lessons}
    if first:
        assert ids(found)[0] == promoted.id
        assert factors[promoted.id] > 1 > factors[archived.id]
        if rule == "bounded":
            assert (factors[promoted.id], factors[archived.id]) == (pytest.approx(1.2), pytest.approx(0.8))
    else:
        assert set(factors.values()) == {1.0}


# Who may read whom.


@pytest.mark.parametrize(
    ("rules", "asks", "expected"),
    [
        (Lessons(), "finance", frozenset({"finance"})),
        (Lessons(), "", None),
        (Lessons(reads=["legal"]), "finance", frozenset({"finance", "legal"})),
        (Lessons(reads=["*"]), "finance", None),
        (Lessons(departments={"finance": LessonRules(reads=["sales"])}), "finance", frozenset({"finance", "sales"})),
        (Lessons(departments={"finance": LessonRules(reads=["sales"])}), "legal", frozenset({"legal"})),
        (Lessons(reads=["*"], departments={"guest": LessonRules(reads=[])}), "guest", frozenset({"guest"})),
    ],
)
def test_a_department_reads_its_own_and_what_the_configuration_says(rules, asks, expected):
    assert readable(rules, asks) == expected


def test_lessons_of_others_are_not_shown_and_those_that_are_say_whose_they_are(memory):
    own, other = memory.add(CURRENCY), memory.add(REFUND, department="sales")
    assert ids(memory.recall(departments=frozenset({"finance"}))) == [own.id]
    found = memory.recall(departments=frozenset({"finance", "sales"}))
    assert set(ids(found)) == {own.id, other.id}
    assert 'department="sales"' in found.block


# Stages that fail, or come late.


class Broken(WordsEmbedder):
    def query(self, text):
        raise ModelError("words", "the server is down", 1)


class Slow(WordsEmbedder):
    def __init__(self, wait):
        super().__init__()
        self.wait = wait

    def query(self, text):
        self.wait()
        return super().query(text)


def test_an_embedder_that_fails_leaves_words_and_says_so(memory):
    right = memory.add(CURRENCY)
    found = memory.recall(embedder=Broken())
    assert ids(found) == [right.id]
    assert "dense did not run: ModelError: words: the server is down" in notes(found)


def test_16_a_vector_that_comes_late_is_left_out_and_said(memory):
    right = memory.add(CURRENCY)
    go = threading.Event()
    found = memory.recall(embedder=Slow(go.wait), rules=Rules(floor=-1.0, budget_ms=30))
    go.set()
    assert ids(found) == [right.id]
    assert "not ready within 30 ms" in notes(found)


class Rerank:
    """A reranker that answers as the test says."""

    name = "scripted"

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def scores(self, query, passages, *, seconds=None):
        self.asked.append((query, list(passages), seconds))
        return self.answer(passages)


def by(word):
    return lambda passages: Reranked(tuple(float(word in passage) for passage in passages))


def test_a_reranker_puts_the_best_in_its_order(memory):
    _, _, refund = (memory.add(texts) for texts in (CURRENCY, DATES, REFUND))
    reranker = Rerank(by("idempotency"))
    found = memory.recall(reranker=reranker)
    assert ids(found)[0] == refund.id
    assert found.lessons[0].why.stages["rerank"].rank == 1
    assert reranker.asked[0][0] == ASK.task


def test_17_a_constant_score_is_a_fault_and_the_fused_order_stands(memory):
    right, *_ = (memory.add(texts) for texts in (CURRENCY, DATES, REFUND))
    found = memory.recall(reranker=Rerank(lambda passages: Reranked((0.5,) * len(passages))))
    assert ids(found)[0] == right.id
    assert "the fused order stands" in notes(found)


def test_17_one_candidate_is_reranked_like_any_other(memory):
    right = memory.add(CURRENCY)
    found = memory.recall(reranker=Rerank(lambda passages: Reranked((0.5,) * len(passages))))
    assert (ids(found), [stage.ran for stage in found.stages if stage.name == "rerank"]) == ([right.id], [True])


def test_18_an_error_of_the_reranker_is_no_score(memory):
    def fails(passages):
        raise ModelError("scripted", "429", 3)

    right, *_ = (memory.add(texts) for texts in (CURRENCY, DATES, REFUND))
    found = memory.recall(reranker=Rerank(fails))
    assert ids(found)[0] == right.id
    assert "rerank did not run: ModelError" in notes(found)


def test_16_no_budget_left_means_no_reranker(memory):
    memory.add(CURRENCY)
    ticks = itertools.count(step=0.02)
    reranker = Rerank(by("x"))
    found = memory.recall(reranker=reranker, rules=Rules(floor=-1.0, budget_ms=50), clock=lambda: next(ticks))
    assert reranker.asked == []
    assert "rerank did not run: the budget was used up" in notes(found)


def test_16_a_reranker_is_told_what_is_left_of_the_budget(memory):
    memory.add(CURRENCY)
    reranker = Rerank(by("x"))
    memory.recall(reranker=reranker, rules=Rules(floor=-1.0, budget_ms=60_000))
    assert 0 < reranker.asked[0][2] <= 60


def test_without_an_embedder_words_are_enough(memory):
    right = memory.add(CURRENCY)
    found = memory.recall(embedder=None)
    assert (ids(found), found.notes) == ([right.id], ())


def test_an_embedder_that_was_not_measured_has_no_floor_and_that_is_said(memory):
    memory.add(REFUND)
    found = memory.recall(Ask("bake a cake"), Rules())
    assert "no floor is known for words" in notes(found)


# Languages.


@pytest.mark.parametrize(
    ("rule", "task"),
    [
        ("Leggere la valuta nell'intestazione prima di sommare le fatture.", "somma la fattura in valuta"),
        ("求和之前先从表头读取发票的货币。", "发票货币"),
        ("اقرأ العملة من رأس الفاتورة قبل الجمع", "عملة الفاتورة"),
        ("Прочитайте валюту в заголовке счета", "валюта счета"),
        ("合計する前に請求書の通貨をヘッダーから読む。", "請求書の通貨"),
    ],
)
def test_28_a_lesson_is_found_in_its_own_language_by_words(memory, rule, task):
    for texts in (DATES, REFUND):
        memory.add(texts)
    right = memory.add({"what": "x1 y1", "why": "z1 w1", "rule": rule})
    found = memory.recall(Ask(task), Rules(floor=-1.0, dense_weight=0.0))
    assert ids(found)[0] == right.id
    assert rule in found.block


# The few that are held in memory.


def held(memory, clock=time.monotonic):
    memory.index.refresh()
    memory.index.embed_pending()
    return Held(memory.index, "finance", Where(departments=frozenset({"finance"})), clock)


def test_the_held_lessons_are_found_as_the_index_finds_them(memory):
    right, *_ = (memory.add(texts) for texts in (CURRENCY, DATES, REFUND))
    memory.add(CURRENCY, department="sales")
    found = recall(held(memory), memory.embedder, ASK, EVERYTHING, departments=frozenset({"finance"}))
    whole = memory.recall(departments=frozenset({"finance"}))
    assert ids(found)[0] == ids(whole)[0] == right.id
    assert set(ids(found)) == set(ids(whole))


def test_a_held_lesson_that_a_review_takes_out_is_gone_at_once(memory):
    right, other = memory.add(CURRENCY), memory.add(DATES)
    few = held(memory)
    memory.store.events.append(DeprecatedEvent(lesson_id=right.id, reason="obsolete", by="ann"))
    memory.index.refresh()
    assert ids(recall(few, memory.embedder, ASK, EVERYTHING)) == [other.id]


def test_the_most_retrieved_are_held_and_chosen_again_after_a_minute(memory):
    now = [0.0]
    first = memory.add(CURRENCY)
    few = held(memory, lambda: now[0])
    second = memory.add({**REFUND, "task": ASK.task})
    memory.index.refresh()
    assert ids(recall(few, memory.embedder, ASK, EVERYTHING)) == [first.id]
    now[0] = 61.0
    assert second.id in ids(recall(few, memory.embedder, ASK, EVERYTHING))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=6), st.text(max_size=80))
def test_what_is_recalled_is_in_the_store_once_each_and_best_first(tmp_path_factory, rules, task):
    made = Memory(tmp_path_factory.mktemp("store") / "memory")
    for n, rule in enumerate(rules):
        made.add({"what": f"what{n}", "why": f"why{n} of it", "rule": f"{rule} r{n}"})
    found = made.recall(Ask(task))
    made.index.close()
    assert len(ids(found)) == len(set(ids(found))) <= 5
    scores = [one.score for one in found.lessons]
    assert scores == sorted(scores, reverse=True)
