from hypothesis import given
from hypothesis import strategies as st

from senno.loop.board import Board, Judged, Proposal, answer_items, fold, item_key, screen, stop_after
from senno.loop.values import Evidence


def proposal(title, says="", **value):
    evidence = (Evidence(source="s", says=says),) if says else ()
    data = {"title": title, **value}
    return Proposal(item_key(data, ("title",)), data, evidence)


def judged(title, state, round_=1, p=None, says=""):
    return Judged(proposal(title, says), state, round_, probabilities={} if p is None else {"fit": p})


def board(*items):
    return fold(Board(), items)


def test_an_accepted_item_is_neither_lost_nor_altered_by_a_later_round():
    before = board(judged("Enigma", "accepted"))
    after = fold(before, [judged("ENIGMA", "refused", 2), judged("Pi", "refused", 2)])
    assert after.items["enigma"] == before.items["enigma"]
    assert [j.state for j in after.items.values()] == ["accepted", "refused"]


def test_items_are_the_same_in_any_writing():
    assert item_key({"title": "Cry, The  Beloved Country", "year": 1995}, ("title", "year")) == item_key(
        {"title": "CRY the beloved country", "year": 1995}, ("title", "year")
    )


def test_a_refused_item_is_judged_again_only_on_other_evidence():
    before = board(judged("Pi", "refused", says="numerology"), judged("Her", "unverified", says="a film"))
    same = screen(before, [proposal("Pi", "numerology"), proposal("Her", "a film")], missing=3)
    assert not same.to_judge
    assert len(same.repeated) == 2
    other = screen(before, [proposal("Pi", "codes"), proposal("Her", "a film")], missing=3)
    assert [p.value["title"] for p in other.to_judge] == ["Pi"]


def test_evidence_is_the_same_whatever_its_ids_and_order():
    one, two = Evidence(source="a", says="1", id="E1"), Evidence(source="b", says="2", id="E2")
    again = (two.model_copy(update={"id": "E8"}), one.model_copy(update={"id": "E9"}))
    assert Proposal("k", {}, (one, two)).evidence_digest == Proposal("k", {}, again).evidence_digest


def test_twins_count_once_and_more_than_asked_is_surplus():
    got = screen(board(judged("A", "accepted")), [proposal(t) for t in ("A", "B", "b", "C", "D")], missing=2)
    assert [p.value["title"] for p in got.to_judge] == ["B", "C"]
    assert [p.value["title"] for p in got.kept] == ["A"]
    assert [p.value["title"] for p in got.surplus] == ["D"]


def test_satisfied_is_counted_and_rounds_are_a_bound():
    assert stop_after(board(judged("A", "accepted"), judged("B", "accepted")), 2, 1, 3) == "satisfied"
    assert stop_after(board(judged("A", "accepted"), judged("B", "unverified")), 2, 1, 3) is None
    assert stop_after(board(judged("A", "accepted"), judged("B", "unverified")), 2, 3, 3) == "rounds"


def test_the_answer_fills_up_with_the_likeliest_unverified_items_and_never_with_refused_ones():
    full = board(
        judged("A", "accepted"),
        judged("B", "unverified", p=0.4),
        judged("C", "unverified", p=0.6),
        judged("D", "refused", p=0.9),
    )
    assert [j.proposal.value["title"] for j in answer_items(full, 2)] == ["A", "C"]
    assert [j.proposal.value["title"] for j in answer_items(full, 5)] == ["A", "C", "B"]


states = st.sampled_from(["accepted", "refused", "unverified"])
rounds = st.lists(
    st.lists(st.tuples(st.sampled_from("ABCDE"), states, st.sampled_from(["", "x", "y"])), max_size=5), max_size=6
)


@given(rounds)
def test_over_any_rounds_what_was_accepted_stays_and_nothing_is_judged_twice_on_the_same_evidence(history):
    now = Board()
    seen: set[tuple[str, str]] = set()
    for number, proposed in enumerate(history, 1):
        state_of = {title: state for title, state, _ in proposed}
        screened = screen(now, [proposal(t, says) for t, _, says in proposed], missing=3)
        for p in screened.to_judge:
            assert (p.key, p.evidence_digest) not in seen or now.items[
                p.key
            ].proposal.evidence_digest != p.evidence_digest
            seen.add((p.key, p.evidence_digest))
        accepted = now.having("accepted")
        now = fold(now, [Judged(p, state_of[p.value["title"]], number) for p in screened.to_judge])
        assert all(one in now.having("accepted") for one in accepted)
