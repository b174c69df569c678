"""Skills that were missing, put together where lessons say the same."""

from lesson_logs import ago, lesson
from senno.lessons import Deprecation
from senno.lessons.reflection import gaps


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
    found = gaps(
        [asking("a", "OCR of scanned tables", 3), asking("b", "tables engine", 2), asking("c", "OCR tables", 1)]
    )
    assert sorted(len(gap.lessons) for gap in found) == [1, 2] or len(found) == 1
    assert sum(len(gap.lessons) for gap in found) == 3


def test_lessons_that_a_review_took_out_or_that_are_too_old_ask_for_nothing():
    known = [asking("a", "OCR", 40), asking("b", "OCR", 2, deprecated=Deprecation("obsolete"))]
    assert gaps(known, since=ago(30)) == []


def test_the_order_of_the_lessons_does_not_matter():
    known = [
        asking(str(n), gap, n) for n, gap in enumerate(["OCR", "ocr engine", "web search", "search the web", "OCR"], 1)
    ]
    assert [g.lessons for g in gaps(known)] == [g.lessons for g in gaps(reversed(known))]


def test_gaps_in_italian_are_stemmed_as_italian():
    (gap,) = gaps(
        [asking("a", "uno strumento per i tassi di cambio", 2), asking("b", "strumenti per il tasso di cambio", 1)]
    )
    assert len(gap.lessons) == 2
