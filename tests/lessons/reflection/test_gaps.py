"""Skills that were missing, put together where lessons say the same."""

from hypothesis import given
from hypothesis import strategies as st

from lesson_logs import ago, lesson
from senno.lessons import Deprecation
from senno.lessons.reflection import gaps
from senno.lessons.reflection.gaps import ALIKE


def asking(id_, gap, days=1, **more):
    return lesson(id_, ago(days), skill_gap=gap, **more)


def test_what_lessons_call_alike_is_one_gap_and_the_most_wanted_comes_first():
    found = gaps(
        [
            asking("a", "a tool for exchange rates", 5),
            asking("b", "exchange rates tool", 3, department="sales"),
            asking("c", "an OCR engine", 2),
            asking("d", "exchange rate tools", 1),
            lesson("e"),
        ]
    )
    assert [[one.id for one in gap.lessons] for gap in found] == [["a", "b", "d"], ["c"]]
    assert found[0].departments == ("finance", "sales")
    assert (found[0].first, found[0].last) == (ago(5), ago(1))
    assert "exchange rate" in found[0].name


def test_a_gap_joins_two_that_were_apart():
    apart = [asking("a", "scanned table", 3), asking("b", "invoice reader", 2)]
    between = asking("c", "scanned table invoice reader", 1)
    assert [len(gap.lessons) for gap in gaps(apart)] == [1, 1]
    (joined,) = gaps([*apart, between])
    assert [one.id for one in joined.lessons] == ["a", "b", "c"]
    assert joined.name == "scanned table invoice reader"


def test_lessons_that_a_review_took_out_or_that_are_too_old_ask_for_nothing():
    known = [asking("a", "OCR", 40), asking("b", "OCR", 2, deprecated=Deprecation("obsolete"))]
    assert gaps(known, since=ago(30)) == []


def test_the_order_of_the_lessons_does_not_matter():
    known = [
        asking(str(n), gap, n) for n, gap in enumerate(["OCR", "ocr engine", "web search", "search the web", "OCR"], 1)
    ]
    assert [g.lessons for g in gaps(known)] == [g.lessons for g in gaps(reversed(known))]


def test_what_has_no_words_is_alike_to_itself_only():
    found = gaps([asking("a", "???", 3), asking("b", "!!!", 2), asking("c", "???", 1), asking("d", "検索", 1)])
    assert [[one.id for one in gap.lessons] for gap in found] == [["a", "c"], ["b"], ["d"]]


def test_a_gap_is_named_by_what_most_of_them_say():
    (gap,) = gaps(
        [
            asking("a", "an exchange rate table of banks", 4),
            *(asking(str(n), "exchange rates table", n) for n in (3, 2)),
        ]
    )
    assert gap.name == "exchange rates table"


_WORD = st.sampled_from(["rate", "table", "ocr", "pdf", "search", "web", "bank", "mail"])


@given(st.lists(st.lists(_WORD, max_size=4).map(" ".join), max_size=12), st.randoms())
def test_clusters_are_those_of_comparing_all_with_all(texts, random):
    known = [asking(str(n), text or None, n) for n, text in enumerate(texts, 1)]
    expected = linked({one.id: set(one.skill_gap.split()) for one in known if one.skill_gap})
    random.shuffle(known)
    assert sorted(sorted(one.id for one in gap.lessons) for gap in gaps(known)) == expected


def linked(words):
    clusters = []
    for own, said in words.items():
        near = [c for c in clusters if any(len(said & words[o]) / len(said | words[o]) >= ALIKE for o in c)]
        clusters = [c for c in clusters if c not in near] + [{own}.union(*near)]
    return sorted(map(sorted, clusters))


def test_gaps_in_italian_are_stemmed_as_italian():
    (gap,) = gaps(
        [asking("a", "uno strumento per i tassi di cambio", 2), asking("b", "strumenti per il tasso di cambio", 1)]
    )
    assert len(gap.lessons) == 2
