"""Budgets of each kind, used up in each role: why the run stopped, what it kept, what the ledger says."""

import pytest

from movie_answers import ENIGMA, SNEAKERS, criticised, item, proposed, refined, sure, worded
from openai_server import says, stalls

ROLES = ("refiner", "actor", "critic", "judge", "curator")


def script(server, used=(10, 5)):
    """A first round that accepts Enigma and refuses Sneakers, judged by a model; a second would follow."""
    both = item(1), item(2, fit="fail", sources=["E2"])
    server.then(
        says(refined(count=2), usage=used), says(proposed(ENIGMA, SNEAKERS), usage=used),
        says(criticised(*both), usage=used), judges(used), judges(used), says(worded("Codes."), usage=used),
    )  # fmt: skip


def judges(used):
    """Yes to Enigma and no to Sneakers, whichever is asked first: they are judged at once."""
    yes, no = says("yes", logprobs=sure(0.9), usage=used), says("no", logprobs=sure(0.1), usage=used)
    return lambda handler, request: (no if "Sneakers" in str(request.body) else yes)(handler, request)


BEST_SO_FAR = {"refiner": [], "actor": [], "critic": [], "judge": [], "curator": ["accepted"]}
LEFT_OUT = {"refiner": [], "actor": [], "critic": ["unjudged"] * 2, "judge": ["unjudged"] * 2, "curator": ["refused"]}
CALLS_BEFORE = {"refiner": 0, "actor": 1, "critic": 2, "judge": 3, "curator": 5}
"""With one round, the curator's call is the sixth."""


def held_to(role, kind):
    """A budget that leaves room for the calls before that role, and for none of its own."""
    before = CALLS_BEFORE[role]
    if kind == "calls":
        return str(before)
    tokens = before * 20_000 + 20  # each call uses 20,000; the next needs hundreds
    return str(tokens) if kind == "tokens" else f"{tokens / 1_000_000:.6f}"  # at a dollar for a million


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        (role, kind)
        for role in ROLES
        for kind in ("tokens", "cost", "calls")
        if (role, kind) != ("refiner", "calls")  # a budget of no call at all is refused as an option
    ],
)
def test_a_budget_used_up_stops_the_run_with_the_best_so_far(ask, server, record, machine, role, kind):
    prices = "\n".join(f'"{server.url}#{name}" = {{ input = 1, output = 1 }}' for name in ("m", "other"))
    (machine / "senno.toml").write_text(f"[prices]\n{prices}\n")
    script(server, used=(19_000, 1_000))
    ran = ask("--rounds", "1", "--judge-model", f"{server.url}#other", f"--max-{kind}", held_to(role, kind))
    states = [i["state"] for i in ran.json["items"]]
    assert (states, sorted(i["state"] for i in ran.json["left_out"])) == (BEST_SO_FAR[role], LEFT_OUT[role])
    assert ran.code == 1
    if role == "curator":
        assert ran.json["stop"] == "rounds"
        assert any(f"{kind} for the run is used up" in note for note in ran.json["notes"])
    else:
        assert ran.json["stop"] == kind
        assert f"{kind} for the run is used up" in ran.json["error"]
    refused = [c for c in record()["calls"] if c["outcome"] == "refused"]
    assert {c["role"] for c in refused} >= {role}
    assert all((c["tokens_in"], c["received"]) == (None, None) and c["sent"] for c in refused)
    assert len(server.requests) == CALLS_BEFORE[role]


@pytest.mark.parametrize("role", ROLES)
def test_a_budget_of_seconds_cuts_a_call_short_in_any_role(ask, server, record, role):
    script(server)
    at = CALLS_BEFORE[role]
    server.queue = type(server.queue)([*list(server.queue)[:at], stalls(), stalls()])
    ran = ask("--rounds", "1", "--judge-model", f"{server.url}#other", "--max-seconds", "2")
    assert [i["state"] for i in ran.json["items"]] == BEST_SO_FAR[role]
    assert sorted(i["state"] for i in ran.json["left_out"]) == LEFT_OUT[role]
    assert (ran.code, ran.json["stop"]) == (1, "rounds" if role == "curator" else "seconds")
    assert {(c["role"], c["outcome"]) for c in record()["calls"]} >= {(role, "failed")}


def test_what_was_judged_before_the_budget_was_used_up_is_kept(ask, server, record):
    """Two films are judged at once, and there is one call left for them."""
    script(server)
    ran = ask("--judge-model", f"{server.url}#other", "--max-calls", "4")
    assert (ran.code, ran.json["stop"]) == (1, "calls")
    assert [(i["name"], i["state"]) for i in ran.json["items"]] == [("Enigma (2001)", "accepted")]
    assert [(i["name"], i["state"]) for i in ran.json["left_out"]] == [("Sneakers (1992)", "unjudged")]
    judge = next(s for s in record()["steps"] if s["role"] == "judge")
    assert "used up" in judge["error"]
    assert [row["became"] for row in judge["output"]] == ["accepted"]


@pytest.mark.parametrize("role", ["refiner", "actor", "critic", "curator"])
def test_a_role_has_a_budget_of_its_own(senno, server, record, machine, role):
    senno("loops", "new", "mine", "--from", "movies")
    file = machine / "loops" / "mine" / "loop.yaml"
    text = file.read_text()
    head, found, tail = text.partition(f"  {role}:")
    file.write_text(head + found + "\n    budget: {tokens: 20}" + tail)
    script(server)
    ran = senno("run", "mine", "x", "--rounds", "1", "--model", f"{server.url}#m", "--json")
    told = ran.json["error"] or " ".join(ran.json["notes"])
    assert f"20 tokens for the role {role} is used up" in told
    assert [c["role"] for c in record()["calls"] if c["outcome"] == "refused"] == [role]


def test_a_cost_budget_for_a_model_without_a_price_is_an_error_that_says_what_to_do(ask, server):
    ran = ask("--max-cost", "0.5")
    assert (ran.code, ran.out, server.requests) == (2, "", [])
    assert "[prices]" in ran.err


def test_a_budget_of_the_loop_holds_where_the_configuration_sets_none(senno, server, machine):
    senno("loops", "new", "mine", "--from", "movies")
    file = machine / "loops" / "mine" / "loop.yaml"
    file.write_text(file.read_text() + "budget: {calls: 1}\n")
    script(server)
    named = ["run", "mine", "x", "--rounds", "1", "--model", f"{server.url}#m", "--json"]
    assert senno(*named).json["stop"] == "calls"
    server.queue.clear()
    script(server)
    assert senno(*named, "--max-calls", "2").json["error"].startswith("the budget of 2 calls")


def test_seconds_hold_where_no_model_takes_part(senno):
    ran = senno("run", "movies", "3 films about trains", "--max-seconds", "0.000001", "--json")
    assert (ran.code, ran.json["stop"], ran.json["items"]) == (1, "seconds", [])
