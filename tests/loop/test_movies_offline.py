"""The movie finder with no model: what it finds for requests in two languages, and what it must never accept."""

import asyncio
import json
import re

import pytest

from senno.ledger import Ledger
from senno.loop import RefinerInput, find_loop, load_loop, run_loop
from senno.loop.library import SHIPPED

LINES = (SHIPPED / "movies" / "catalogue.jsonl").read_text(encoding="utf-8").splitlines()
FILMS = {(f[name], f["year"]): f for f in map(json.loads, LINES) for name in ("title_it", "title")}


@pytest.fixture(scope="module", name="find")
def _find(tmp_path_factory):
    folder = tmp_path_factory.mktemp("find")
    spec = load_loop(find_loop("movies", folder))
    with Ledger.open(folder / "ledger.db") as ledger:
        yield lambda request, **rest: asyncio.run(run_loop(spec, request, ledger=ledger, **rest))


def accepted(result):
    return [FILMS[i.value["title"], i.value["year"]] for i in result.accepted]


FOUND = [
    ("3 films about cryptography", "Enigma|The Imitation Game|Breaking the Code|Sebastian|U-571"),
    (
        "Voglio 3 film dove la crittografia è centrale alla trama, non come MacGuffin",
        "Enigma|The Imitation Game|Breaking",
    ),
    ("films about codebreakers", "Enigma|The Imitation Game|Breaking the Code|Sebastian"),
    ("3 films about boxing", "Rocky|Raging Bull|Million Dollar Baby|Fat City|Body and Soul|The Set-Up"),
    ("film sul pugilato", "Rocky|Toro scatenato|Raging Bull|Million Dollar Baby|Fat City"),
    ("courtroom films", "12 Angry Men|Anatomy of a Murder|Witness for the Prosecution|To Kill a Mockingbird|Judgment"),
    ("film su un processo in tribunale", "12 Angry Men|Anatomy of a Murder|Witness|Mockingbird|Judgment|Close-Up"),
    ("films about vampires", "Nosferatu|Let the Right One In|Dracula|Vampyr|Horror of Dracula|Only Lovers"),
    ("film di vampiri", "Nosferatu|Let the Right One In|Dracula|Vampyr"),
    ("Japanese films about old age", "Tokyo Story|Ikiru|The Ballad of Narayama|Tokyo"),
    ("film giapponesi sulla vecchiaia", "Tokyo Story|Ikiru|The Ballad of Narayama"),
    ("films about the mafia", "The Godfather|Goodfellas|Gomorrah|Mafioso|The Traitor"),
    ("un film sulla mafia", "The Godfather|Goodfellas|Gomorrah|Mafioso|The Traitor|Il"),
    ("films about journalists", "All the President's Men|Ace in the Hole|Spotlight|Network|His Girl Friday"),
    ("science fiction films about artificial intelligence", "2001|Blade Runner|Ex Machina|Her|A.I.|Metropolis"),
    ("film di fantascienza sull'intelligenza artificiale", "2001|Blade Runner|Ex Machina|Her|A.I.|Metropolis"),
    ("films about chess", "The Seventh Seal|Searching for Bobby Fischer|Queen|Chess|Dangerous Moves"),
    ("films about samurai", "Seven Samurai|Harakiri|Yojimbo|Sanjuro|Rashomon|Throne of Blood|Zatoichi"),
    ("films about a heist", "Rififi|Heat|Ocean|The Killing|Big Deal|Reservoir Dogs|Sexy Beast"),
    ("films about the Holocaust", "Schindler's List|Night and Fog|Shoah|Son of Saul|The Pianist"),
]


@pytest.mark.parametrize(("request_text", "one_of"), FOUND)
def test_a_film_that_a_person_would_name_is_accepted(find, request_text, one_of):
    titles = [f["title"] for f in accepted(find(request_text))]
    assert any(re.match(one_of, title) for title in titles), titles


HARD = [
    ("films from 1990 to 2000 about technology", lambda f: 1990 <= f["year"] <= 2000),
    ("film degli anni 60", lambda f: 1960 <= f["year"] <= 1969),
    ("films of the nineties about crime", lambda f: 1990 <= f["year"] <= 1999),
    ("horror films before 1940", lambda f: f["year"] < 1940 and "horror" in f["genres"]),
    ("films after 2010 about friendship", lambda f: f["year"] > 2010),
    ("tre commedie italiane degli anni 50", lambda f: f["countries"][0] == "Italy" and "comedy" in f["genres"]),
    ("commedie degli anni cinquanta", lambda f: 1950 <= f["year"] <= 1959 and "comedy" in f["genres"]),
    ("Japanese films about old age", lambda f: f["countries"][0] == "Japan"),
    ("French comedies", lambda f: f["countries"][0] == "France" and "comedy" in f["genres"]),
    ("westerns", lambda f: "western" in f["genres"]),
    ("film western diretti da Sergio Leone", lambda f: "Sergio Leone" in f["directors"]),
    ("3 films by Kurosawa", lambda f: any("Kurosawa" in d for d in f["directors"])),
    ("documentaries", lambda f: "documentary" in f["genres"]),
    ("films in 1994", lambda f: f["year"] == 1994),
    ("animated films about war", lambda f: "animation" in f["genres"]),
    ("love stories, not comedies", lambda f: "comedy" not in f["genres"]),
]  # fmt: skip


@pytest.mark.parametrize(("request_text", "holds"), HARD, ids=[r for r, _ in HARD])
@pytest.mark.parametrize("count", ["", "20 "])
def test_no_accepted_film_breaks_a_hard_criterion(find, request_text, holds, count):
    result = find(f"{count}{request_text}" if not request_text[0].isdigit() else request_text)
    assert [f["title"] for f in accepted(result) if not holds(f)] == []


def test_most_of_these_requests_find_something(find):
    assert sum(bool(accepted(find(request))) for request, _ in HARD) >= 12


@pytest.mark.parametrize(
    ("request_text", "wanted"),
    [("3 films about trains", 3), ("tre film sui treni", 3), ("films about trains", 3), ("one film about trains", 1),
     ("un film sui treni", 1), ("a dozen films about trains", 12), ("100 films about trains", 20),
     ("venti film sui treni", 3)],
)  # fmt: skip
def test_how_many_are_wanted_is_what_stands_before_the_word_for_films(find, request_text, wanted):
    assert find(request_text).wanted == wanted


@pytest.mark.parametrize(
    ("request_text", "word"), [("3 film sui treni", "Non verificato|treno|treni"), ("3 films about trains", "train")]
)
def test_the_answer_is_in_the_language_of_the_request(find, request_text, word):
    assert re.search(word, " ".join(i.text for i in find(request_text).items))


def test_nothing_is_made_up_to_fill_in_what_is_missing(find):
    result = find("20 films about xylophones")
    assert (result.accepted, result.satisfied, result.missing) == ((), False, 20)
    assert all((i.value["title"], i.value["year"]) in FILMS for i in (*result.items, *result.left_out))


@pytest.mark.parametrize("words", ["old age", "time travel", "artificial intelligence", "serial killer", "cold war"])
def test_a_theme_of_two_words_stays_whole_in_the_structured_request(find, words):
    spec = load_loop(find_loop("movies", SHIPPED))
    refine = spec.roles["refiner"].without_model
    assert refine is not None
    assert sorted(refine(RefinerInput(request=f"films about {words}")).query_info.split()) == sorted(words.split())


def test_pi_does_not_pass_for_a_film_about_cryptography(find):
    result = find("20 films about cryptography")
    assert "Pi" not in [f["title"] for f in accepted(result)]


def test_the_same_request_has_the_same_answer(find):
    one, two = find("5 films about memory"), find("5 films about memory")
    assert [i.to_json() for i in one.items] == [i.to_json() for i in two.items]


def test_every_accepted_film_stands_on_evidence_of_its_own(find):
    for item in find("10 films about war").accepted:
        sources = {e.id: e.source for e in item.evidence}
        for finding in item.findings:
            assert finding.status == "pass"
            assert [sources[s] for s in finding.sources] == [f"catalogue: {item.name}"]
