"""A model as the judge of the movie finder: who may judge, how its probability is had, what it decides."""

import pytest

from movie_answers import ENIGMA, SNEAKERS, criticised, item, proposed, refined, round_of, sure, worded
from openai_server import says, status


@pytest.fixture(name="judged")
def _judged(ask, server):
    """A run whose film is judged by a model of its own; the judge's replies go between critic and curator."""

    def run(*replies, options=()):
        *before, curator = round_of(ENIGMA)
        server.then(*before, *replies, curator)
        return ask("--judge-model", f"{server.url}#other", "--rounds", "1", *options)

    return run


@pytest.mark.parametrize(
    ("yes", "state", "code"), [(0.95, "accepted", 0), (0.7, "accepted", 0), (0.5, "unverified", 3), (0.1, "refused", 1)]
)
def test_the_probability_is_read_from_logprobs_and_the_policy_decides(judged, record, yes, state, code):
    ran = judged(says("yes", logprobs=sure(yes)))
    (found,) = [*ran.json["items"], *ran.json["left_out"]]
    assert (ran.code, found["state"], found["probabilities"]) == (
        code, state, {"criteria_fit": pytest.approx(yes)},
    )  # fmt: skip
    step = next(s for s in record()["steps"] if s["role"] == "judge")
    assert (step["calls"], step["output"][0]["method"]) == (1, "logprobs")


def test_without_logprobs_the_probability_is_the_share_of_samples(judged, record, monkeypatch):
    monkeypatch.setenv("SENNO_CALLS_SAMPLES", "4")
    ran = judged(says("yes"), *map(says, ("yes", "no", "Yes.", "no")))
    assert (ran.code, ran.json["items"][0]["state"]) == (3, "unverified")
    assert ran.json["items"][0]["probabilities"] == {"criteria_fit": 0.5}
    step = next(s for s in record()["steps"] if s["role"] == "judge")
    assert (step["calls"], step["output"][0]["method"]) == (5, "samples:4")


UNUSABLE = {
    "the server refuses": [status(400)],
    "no answer that was asked for": [says("maybe", logprobs=[{"maybe": -0.01, "perhaps": -5.0}])],
    "samples that say nothing": [says("well"), *[says("who knows")] * 5],
}


@pytest.mark.parametrize("replies", UNUSABLE.values(), ids=UNUSABLE)
def test_an_answer_that_cannot_be_had_leaves_the_film_unverified_and_says_why(judged, replies):
    ran = judged(*replies)
    (found,) = ran.json["items"]
    assert (ran.code, found["state"], found["verdict"], found["probabilities"]) == (3, "unverified", "ERROR", {})
    assert any(why.startswith("criteria_fit: ") for why in found["why"])


def test_what_the_judge_is_shown_stands_between_fences_that_it_cannot_close(judged, server):
    judged(says("yes", logprobs=sure(0.9)))
    sent = next(r.body for r in server.requests if r.body["model"] == "other")
    assert (sent["logprobs"], sent["top_logprobs"], sent["temperature"]) == (True, 20, 1.0)
    assert "Enigma" in sent["messages"][1]["content"]
    assert "not followed" in sent["messages"][0]["content"].replace("\n", " ")


@pytest.mark.parametrize("name", ["{url}#m", "{host}#m", "{url}"])
def test_the_model_that_wrote_may_not_judge_by_any_name_of_it(ask, server, name):
    localhost = server.url.replace("127.0.0.1", "localhost")
    ran = ask("--judge-model", name.format(url=server.url, host=localhost))
    assert (ran.code, ran.out, server.requests) == (2, "", [])
    assert "--allow-same-model" in ran.err


@pytest.mark.parametrize("allowed", ["flag", "variable", "file"])
def test_the_model_that_wrote_may_judge_where_a_line_of_its_own_says_so(ask, server, machine, monkeypatch, allowed):
    *before, curator = round_of(ENIGMA)
    server.then(*before, says("yes", logprobs=sure(0.9)), curator)
    if allowed == "variable":
        monkeypatch.setenv("SENNO_MODELS_ALLOW_SAME_MODEL", "true")
    if allowed == "file":
        (machine / "senno.toml").write_text("[models]\nallow_same_model = true\n")
    flag = ["--allow-same-model"] if allowed == "flag" else []
    assert ask("--judge-model", f"{server.url}#m", *flag).code == 0


def test_a_judge_beside_the_critic_may_be_the_critics_model(ask, server):
    *before, curator = round_of(ENIGMA)
    server.then(*before, says("yes", logprobs=sure(0.9)), curator)
    other = f"{server.url}#other"
    assert ask("--judge-model", other, "--role-model", f"critic={other}").code == 0
    assert [r.body["model"] for r in server.requests] == ["m", "m", "other", "other", "m"]


def test_a_role_has_the_model_that_is_named_for_it_and_python_plays_the_others(senno, server, record):
    server.then(says(proposed(ENIGMA)))
    ran = senno(
        "run", "movies", "1 film about cryptography", "--role-model", f"actor={server.url}#m", "--json", "--quiet"
    )
    assert (ran.code, ran.json["items"][0]["name"]) == (0, "Enigma (2001)")
    assert record()["run"]["config"]["models"] == {
        "refiner": "python", "actor": f"{server.url}#m", "critic": "python", "curator": "python",
        "judge": "catalogue-retrieval (python)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--role-model", "critic"), "expected ROLE=MODEL"),
        (("--role-model", "=ollama:x"), "expected ROLE=MODEL"),
        (("--role-model", "critic="), "expected ROLE=MODEL"),
        (("--role-model", "crtic=ollama:x"), "did you mean 'critic'"),
        (("--model", "opnai:gpt-4o"), "did you mean 'openai'"),
        (("--model", "gpt-4o"), "it names no provider"),
        (("--model", "openai:gpt-4o"), "OPENAI_API_KEY"),
        (("--judge-model", "anthropic:claude"), "ANTHROPIC_API_KEY"),
        (("--max-cost", "free"), "is no amount"),
        (("--max-cost", "NaN"), "not above 0"),
        (("--max-seconds", "nan"), "budget.seconds"),
        (("--max-tokens", "0"), "0"),
        (("--rounds", "101"), "101"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_started(senno, option, said):
    ran = senno("run", "movies", "films about trains", *option)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_films_are_judged_at_once_and_each_by_its_own_answer(ask, server):
    server.then(
        says(refined(count=2)), says(proposed(ENIGMA, SNEAKERS)), says(criticised(item(1), item(2, sources=["E2"]))),
        says("yes", logprobs=sure(0.9)), says("yes", logprobs=sure(0.9)), says(worded("a", "b")),
    )  # fmt: skip
    ran = ask("--judge-model", f"{server.url}#other")
    assert (ran.code, ran.json["accepted"]) == (0, 2)
    judged = [r.body["messages"][1]["content"] for r in server.requests if r.body["model"] == "other"]
    assert sorted("Sneakers" in text.split("evidence")[0] for text in judged) == [False, True]
