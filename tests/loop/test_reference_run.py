"""The run that the movie finder is modelled on, replayed at the protocol: six steps, and a seventh that decides.

In the original, the last critique passed "Pi" (1998), a film about numerology, as one about cryptography, and nobody
saw it. Replayed here, with the same answers of the models, it must not pass.
"""

import asyncio
import json

import pytest

from senno.config import Config
from senno.ledger import Ledger
from senno.loop import Cast, find_loop, load_loop, run_loop
from senno.models import Reply, ScriptedDecisions, ScriptedText, Usage

REQUEST = (
    "Voglio 3 film dove la crittografia è centrale alla trama, non come MacGuffin ma come meccanismo che il "
    "protagonista capisce davvero"
)
REFINED = {
    "start_year": None,
    "end_year": None,
    "primary_genre": "all",
    "secondary_genres": [],
    "query_info": "movies about cryptography as central plot device protagonist solves",
    "original_text": REQUEST,
    "language": "it",
}
ROUND_1 = [
    ("Enigma", 2001, "Protagonista codebreaker WWII"),
    ("Cry The Beloved Country", 1997, "Subplot con un crittografo"),
    ("Rosencrantz and Guildenstern Are Undead", 2009, "Vampiri e codici cifrati"),
]
ROUND_2 = [
    ("Enigma", 2001, "Codebreaker WWII, crittografia cuore del thriller"),
    ("The Imitation Game", 2014, "Alan Turing e la decifrazione Enigma"),
    ("Pi", 1998, "Matematico ossessionato da pattern numerici"),
]


def replied(value, tokens_in, tokens_out):
    return Reply(json.dumps(value), "recorded", usage=Usage(tokens_in, tokens_out))


def proposal(films):
    return {"movies": [{"title": t, "year": y, "reason": r} for t, y, r in films]}


def critique(satisfied, tokens, *fits):
    """The recorded report. It cites, as the original did, what was found about each film."""
    names = ("EXISTS", "YEAR", "CRITERIA FIT")

    def report(request):
        items = json.loads(request.messages[-1].text)["items"]
        sources = [[e["id"] for e in item["evidence"]] for item in items]
        checks = [
            [
                {"check": name, "status": status, "explanation": why, "sources": cited}
                for name, status in zip(names, ("pass", "pass", fit), strict=True)
            ]
            for (fit, why), cited in zip(fits, sources, strict=True)
        ]
        value = {"items": [{"number": n, "checks": each} for n, each in enumerate(checks, 1)], "isSatisfied": satisfied}
        return replied(value, *tokens)

    return report


@pytest.fixture(name="players")
def _players():
    def made(decisions):
        return Cast(
            {
                "refiner": ScriptedText("recorded:refiner", [replied(REFINED, 284, 96)]),
                "actor": ScriptedText(
                    "recorded:cinephile",
                    [replied(proposal(ROUND_1), 301, 150), replied(proposal(ROUND_2), 318, 162)],
                ),
                "critic": ScriptedText(
                    "recorded:clerk",
                    [
                        critique(
                            False,
                            (2700, 380),
                            ("pass", "codebreaker a Bletchley Park"),
                            ("fail", "nessuna crittografia"),
                            ("fail", "commedia vampiresca su Amleto"),
                        ),
                        critique(
                            True,
                            (2898, 397),
                            ("pass", "Turing e macchina Enigma"),
                            ("pass", "pattern numerici assimilati a codici"),
                        ),
                    ],
                ),
                "curator": ScriptedText("recorded:curator", [replied({"items": [], "intro": "Ecco."}, 500, 60)]),
            },
            decisions,
        )

    return made


def replay(tmp_path, cast):
    spec = load_loop(find_loop("movies", tmp_path))
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        result = asyncio.run(run_loop(spec, REQUEST, ledger=ledger, config=Config(), cast=cast, rounds=2))
        return result, ledger.run(result.run_id)


def scripted_fit(state, _):
    by_title = {"Enigma": 0.97, "The Imitation Game": 0.96, "Pi": 0.5}
    return {"criteria_fit": by_title.get(state["item"]["title"], 0.02)}


def test_enigma_is_kept_the_refused_films_are_dropped_and_pi_does_not_pass(tmp_path, players):
    result, record = replay(tmp_path, players(ScriptedDecisions("scripted:judge", scripted_fit)))
    states = {i.value["title"]: i.state for i in (*result.items, *result.left_out)}
    assert states == {
        "Enigma": "accepted",
        "The Imitation Game": "accepted",
        "Pi": "unverified",
        "Cry The Beloved Country": "refused",
        "Rosencrantz and Guildenstern Are Undead": "refused",
    }
    assert (result.stop, result.satisfied, result.exit_code) == ("rounds", False, 3)
    assert any("contradiction in round 2" in note for note in result.notes)
    assert [s.role for s in record.steps] == [
        "refiner",
        "actor",
        "critic",
        "judge",
        "actor",
        "critic",
        "judge",
        "curator",
    ]


def test_what_was_accepted_in_the_first_round_is_not_altered_by_the_second(tmp_path, players):
    result, _ = replay(tmp_path, players(ScriptedDecisions("scripted:judge", scripted_fit)))
    enigma = result.items[0]
    assert (enigma.name, enigma.round, enigma.value["reason"]) == ("Enigma (2001)", 1, "Protagonista codebreaker WWII")


def test_the_tokens_of_the_recording_are_in_the_record(tmp_path, players):
    _, record = replay(tmp_path, players(ScriptedDecisions("scripted:judge", scripted_fit)))
    told = [(s.role, s.tokens_in, s.tokens_out) for s in record.steps if s.role != "judge"]
    assert told == [
        ("refiner", 284, 96),
        ("actor", 301, 150),
        ("critic", 2700, 380),
        ("actor", 318, 162),
        ("critic", 2898, 397),
        ("curator", 500, 60),
    ]


def test_with_the_judge_that_ships_pi_does_not_pass_either_on_the_catalogues_evidence(tmp_path, players):
    spec = load_loop(find_loop("movies", tmp_path))
    assert spec.judge_without_model is not None
    result, _ = replay(tmp_path, players(spec.judge_without_model()))
    states = {i.value["title"]: i.state for i in (*result.items, *result.left_out)}
    assert states["Pi"] in {"refused", "unverified"}
    assert [i.value["title"] for i in result.accepted] == ["Enigma", "The Imitation Game"]
