"""`senno loops` and the loops of the user's own."""

import json
import re

import pytest


def test_a_new_loop_runs_as_it_is_and_keeps_to_its_checks(senno, machine):
    ran = senno("loops", "new", "slogans")
    assert (ran.code, ran.out.strip()) == (0, "loops/slogans")
    result = senno("run", "slogans", "a slogan for a bakery", "--json").json
    assert (result["loop"], result["stop"], result["accepted"]) == ("slogans", "satisfied", 2)
    assert [i["state"] for i in result["left_out"]] == ["refused"]
    assert "no_empty_promises" in result["left_out"][0]["why"][0]
    assert (machine / "loops" / "slogans").stat().st_mode & 0o777 == 0o755


def test_a_copy_of_the_movie_finder_runs_under_its_new_name(senno, machine):
    assert senno("loops", "new", "cinema", "--from", "movies").code == 0
    assert (machine / "loops/cinema/loop.yaml").read_text().count("name: cinema") == 1
    ran = senno("run", "cinema", "1 film about boxing", "--json")
    assert (ran.code, ran.json["loop"], ran.json["accepted"]) == (0, "cinema", 1)


def test_a_dry_run_writes_nothing(senno, machine):
    ran = senno("loops", "new", "slogans", "--dry-run")
    assert (ran.code, ran.out) == (0, "")
    assert "would write loops/slogans, a copy of the skeleton" in ran.err
    assert not list(machine.iterdir())


NO_NAMES = ["Movies", "1st", "-x", "a b", "", "..", "a/b", "a" * 61, "é", "x\n", "\x1b[2J"]


@pytest.mark.parametrize("name", NO_NAMES)
@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_name_that_is_none_is_refused(senno, machine, name, options):
    ran = senno("loops", "new", *options, "--", name)
    assert (ran.code, ran.out) == (2, "")
    assert "is no name for a loop" in ran.err
    assert "\x1b" not in ran.err
    assert not list(machine.iterdir())


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--from", "movies")])
def test_what_is_there_already_is_left_as_it_is(senno, machine, options):
    (machine / "loops").mkdir()
    (machine / "loops" / "mine").write_text("mine")
    ran = senno("loops", "new", "mine", *options)
    assert (ran.code, "is there already" in ran.err) == (2, True)
    assert (machine / "loops" / "mine").read_text() == "mine"


def test_a_loop_is_not_copied_into_itself(senno, machine):
    senno("loops", "new", "seed")
    (machine / "loops" / "seed" / "loop.yaml").rename(machine / "loop.yaml")
    ran = senno("loops", "new", "other", "--from", ".")
    assert (ran.code, "lies inside" in ran.err) == (2, True)
    assert not (machine / "loops" / "other").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("movie", "did you mean 'movies'"),
        ("nothing", "there are movies"),
        ("x" * 300, "no loop"),
        ("~nobody", "no loop"),
        ("a\x1b[2J", "no loop"),
        ("./nothing", "no loop"),
    ],
)
def test_a_loop_that_is_not_there_is_an_error_with_those_there_are(senno, name, said):
    for ran in (senno("run", name, "x"), senno("loops", "show", name), senno("loops", "new", "y", "--from", name)):
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert "\x1b" not in ran.err


def test_a_loop_of_the_users_goes_before_one_that_ships(senno):
    assert senno("loops", "list", "--json").json["loops"][0]["shipped"] is True
    senno("loops", "new", "movies")
    (own,) = senno("loops", "list", "--json").json["loops"]
    assert (own["name"], own["shipped"], own["path"]) == ("movies", False, "loops/movies")
    assert "Slogans" in senno("loops", "show", "movies").out


def test_a_loop_that_cannot_be_read_is_listed_with_what_is_wrong_with_it(senno, machine):
    senno("loops", "new", "mine")
    (machine / "loops" / "mine" / "checks.json").write_text("{")
    (entry, _) = senno("loops", "list", "--json").json["loops"]
    assert entry["description"].startswith("cannot be read: ")
    assert "checks.json:1:2" in entry["description"]
    assert senno("loops", "list").code == 0


def test_show_draws_the_graph_and_says_who_does_what(senno):
    told = senno("loops", "show", "movies").out
    assert "request ─▸ Refiner ─▸ │" in told
    assert "Clerk + judge" in told
    assert "REFUSE: EXISTS < 0.5 or YEAR < 0.5 or CRITERIA FIT < 0.5 or criteria_fit < 0.35" in told
    assert "ACCEPT: otherwise" in told


def test_show_as_json_names_roles_checks_and_files(senno):
    shown = senno("loops", "show", "movies", "--json").json
    assert list(shown["roles"]) == ["refiner", "actor", "critic", "curator"]
    assert (shown["checks"], shown["questions"]) == (["EXISTS", "YEAR", "CRITERIA FIT"], ["criteria_fit"])
    assert shown["roles"]["critic"]["tools"] == ["search_films"]
    assert set(shown["roles"]["actor"]["output"]["properties"]) == {"movies"}
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in shown["files"].values())
    assert {"loop.yaml", "policy.json", "checks.json", "prompts/clerk.md"} <= set(shown["files"])


def test_show_writes_no_escapes_of_a_loop_to_the_terminal(senno, machine):
    senno("loops", "new", "mine")
    file = machine / "loops" / "mine" / "loop.yaml"
    file.write_text(file.read_text().replace("Slogans that keep to the rules.", r'"x\e[2Jy\u202e"'))
    for ran in (senno("loops", "show", "mine"), senno("loops", "list")):
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out


def test_the_page_of_a_run_is_written_beside_the_answer(senno, machine):
    ran = senno("run", "movies", "1 film about boxing", "--html", "out/page.html", "--json")
    assert (ran.code, ran.json["html"]) == (0, "out/page.html")
    page = (machine / "out" / "page.html").read_text()
    assert json.dumps(ran.json["run_id"])[1:-1] in page
    ran = senno("run", "movies", "1 film about boxing", "--html", "out/page.html/no.html")
    assert (ran.code, "cannot be written" in ran.err) == (2, True)


def test_what_a_loop_of_the_users_prints_is_no_part_of_the_answer(senno, machine):
    senno("loops", "new", "mine")
    roles = machine / "loops" / "mine" / "roles.py"
    roles.write_text(roles.read_text().replace("    thing =", "    print('debug')\n    thing ="))
    ran = senno("run", "mine", "a slogan", "--json")
    assert (ran.json["stop"], "debug" in ran.err) == ("satisfied", True)
