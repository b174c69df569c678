"""Secrets in what a change adds."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate_changes import bare, diff_of
from gate_planted import by_rules, planted
from senno.gate.detectors import DetectorSettings, detect, without_secrets, without_secrets_in
from senno.gate.detectors.joined import joined
from senno.gate.detectors.screened import screened
from senno.gate.detectors.secret_scan import has_rules
from senno.gate.state import parts

SHAPES = planted()
TOKEN = SHAPES["github"][1]
HALVES = TOKEN[:18], TOKEN[18:]


def secrets(diff, **settings):
    detected = detect(diff, DetectorSettings(**settings))
    return [finding for finding in detected.findings if finding.detector == "secrets"]


@pytest.fixture
def without_rules(monkeypatch):
    monkeypatch.setattr("senno.gate.detectors.secret_scan._scanner", lambda: None)


@pytest.mark.parametrize("name", SHAPES)
def test_a_planted_secret_is_found_and_never_shown(name):
    text, secret = SHAPES[name]
    (finding,) = secrets(diff_of(f"import os\n{text}\nprint(1)"))
    assert (finding.line, finding.severity, finding.path) == (2, "error", "src/app.py")
    for piece in secret.split("\n"):
        assert piece not in repr(finding)
    assert "[redacted:" in finding.excerpt


@pytest.mark.parametrize("name", SHAPES)
def test_most_are_found_without_rules_too(name, without_rules):
    assert secrets(diff_of(SHAPES[name][0]))


@pytest.mark.skipif(not has_rules(), reason="kingfisher-secret-scanner is not installed")
@pytest.mark.parametrize(("name", "secret"), by_rules().items())
def test_tokens_that_only_the_rules_know_are_found(name, secret):
    (finding,) = secrets(diff_of(f'x = "{secret}"'))
    assert secret not in repr(finding)


def test_without_the_rules_less_is_found_and_that_is_told(without_rules):
    (note,) = detect(diff_of("x = 1"), DetectorSettings()).notes
    assert "pip install" in note
    assert secrets(diff_of(f'x = "{by_rules()["doppler"]}"')) == []


@pytest.mark.skipif(not has_rules(), reason="kingfisher-secret-scanner is not installed")
def test_with_the_rules_there_is_nothing_to_tell():
    assert detect(diff_of("x = 1"), DetectorSettings()).notes == ()


SPLIT = {
    "python, side by side": 'T = ("{}"\n     "{}")',
    "python, added": 'T = "{}" + \\\n    "{}"',
    "javascript": "const t = '{}' +\n  '{}';",
    "java": 'String t = "{}"\n    + "{}";',
    "php": '$t = "{}" .\n  "{}";',
    "visual basic": 't = "{}" & _\n  "{}"',
    "sql": "select '{}' ||\n  '{}'",
    "c": 'char *t = "{}"\n          "{}";',
    "one line": 'T = "{}" + "{}"',
    "formatted": 'T = f"{}" \\\n    f"{}"',
    "shell": "export T={}\\\n{}",
    "make": "T := {}\\\n   {}",
    "yaml, folded": "token: >-\n  {}\n  {}\nother: 1",
    "yaml, literal": "token: |\n  {}\n  {}",
    "yaml, quoted": 'token: "{}\\\n  {}"',
    "windows": 'T = "{}" +\r\n  "{}"\r',
}


@pytest.mark.parametrize("text", SPLIT.values(), ids=SPLIT)
def test_a_secret_that_is_cut_in_two_is_found(text):
    (finding,) = secrets(diff_of(text.format(*HALVES)))
    assert not any(half in repr(finding) for half in HALVES)


def test_a_secret_in_pieces_is_not_shown_by_other_detectors():
    text = 'T = ("{}"\n  "{}") # \u202e'.format(*HALVES)
    detected = detect(diff_of(text), DetectorSettings(max_line_length=5))
    assert {each.detector for each in detected.findings} >= {"secrets", "hidden_unicode", "long_lines"}
    assert not any(half in repr(detected) for half in HALVES)


def test_only_what_is_added_counts():
    line = f'T = "{TOKEN}"'
    assert secrets(diff_of("x = 1", before=[line])) == []
    assert secrets(bare("a.py", status="deleted", content=line)) == []
    assert secrets(bare(("a.py", "b.py"))) == []
    assert len(secrets(bare("a.py", status="modified", content=line))) == 1


def test_a_secret_that_is_completed_by_the_change_is_found_where_it_is():
    (finding,) = secrets(diff_of(f'  "{HALVES[1]}")', before=["x = 1", f'T = ("{HALVES[0]}"']))
    assert finding.line == 3


def test_a_comment_does_not_switch_it_off():
    line = f'T = "{TOKEN}"  # kingfisher:ignore gitleaks:allow pragma: allowlist secret nosec noqa'
    assert len(secrets(diff_of(line))) == 1


@pytest.mark.parametrize(
    "around", ["\0\0{}\0", "é😀 {} à", "x" * 5000 + " {} " + "y" * 5000, "\ufeff{}", "# {}", "{}\r", "\u202e{}"]
)
def test_what_stands_around_it_does_not_hide_it(around):
    (finding,) = secrets(diff_of(around.replace("{}", f'"{TOKEN}"')))
    assert TOKEN not in repr(finding)
    assert "[redacted:" in finding.excerpt


NONE = [
    'password = os.environ["PASSWORD"]',
    "password = getpass.getpass()",
    "api_key: str | None = None",
    'token = "${TOKEN}"',
    'password = "<password>"',
    'PASSWORD = "********"',
    "https://example.org/a:b/c@d",
    "def secret(key: bytes) -> bytes: ...",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "uuid = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
]


@pytest.mark.parametrize("line", NONE)
def test_what_is_no_secret_is_none(line):
    assert secrets(diff_of(line)) == []


@pytest.mark.parametrize(
    "line", ['password = "test-password1"', 'password = "changeme1"', "postgres://user:example1@localhost/db"]
)
def test_what_reads_like_a_stand_in_is_a_warning(line):
    assert [finding.severity for finding in secrets(diff_of(line))] == ["warning"]


def test_a_fingerprint_stays_when_lines_move_and_goes_when_the_secret_changes():
    first, moved = (secrets(diff_of(f'{above}T = "{TOKEN}"'))[0].fingerprint for above in ("", "x\ny\n"))
    other = secrets(diff_of(f'T = "{planted(8)["github"][1]}"'))[0].fingerprint
    elsewhere = secrets(diff_of(f'T = "{TOKEN}"', "b.py"))[0].fingerprint
    assert first == moved
    assert len({first, other, elsewhere}) == 3
    assert len(first) == 32


def test_the_same_secret_twice_is_two_findings():
    found = secrets(diff_of(f'T = "{TOKEN}"\nU = 1\nT = "{TOKEN}"'))
    assert [finding.line for finding in found] == [1, 3]
    assert len({finding.fingerprint for finding in found}) == 2


def test_a_fingerprint_on_the_list_lets_a_finding_through_and_it_is_still_told():
    diff = diff_of(f'T = "{TOKEN}"')
    (finding,) = secrets(diff)
    detected = detect(diff, DetectorSettings(allow_fingerprints=frozenset({finding.fingerprint})))
    assert detected.allowed == (finding,)
    assert finding not in detected.findings


def test_paths_of_fixtures_let_secrets_through_and_nothing_else():
    diff = diff_of(f'T = "{TOKEN}"\n# \u202e', "tests/fixtures/a.py")
    detected = detect(diff, DetectorSettings(allow_secret_paths=("tests/fixtures",)))
    assert [each.detector for each in detected.allowed] == ["secrets"]
    assert "hidden_unicode" in [each.detector for each in detected.findings]


def test_a_fingerprint_of_a_password_gives_it_away_no_more_than_its_place_does():
    """All passwords of a list give at most 256 fingerprints: none can be told from its fingerprint."""
    prints = {secrets(diff_of(f'password = "winter{n}Aa"'))[0].fingerprint for n in range(1500)}
    assert len(prints) <= 256


def test_no_repr_shows_a_secret():
    diff = diff_of(f'T = "{TOKEN}"')
    split = parts(diff, limit_tokens=5000)
    for each in (diff, split, screened(diff.files[0]), detect(diff, DetectorSettings())):
        assert TOKEN not in repr(each)


@pytest.mark.parametrize("text", [*SPLIT.values(), 'T = "{}{}"'], ids=[*SPLIT, "whole"])
def test_a_change_without_secrets_has_none_in_any_line(text):
    lines = text.format(*HALVES).split("\n")
    added = diff_of(lines)
    removed = replace(added.files[0], added=0, removed=len(lines), hunks=tuple(map(turned, added.files[0].hunks)))
    shown = diff_of("x = 1", before=lines)
    for diff in (added, replace(added, files=(removed,)), shown):
        clean = without_secrets_in(diff)
        told = [line.text for file in clean.files for hunk in file.hunks for line in hunk.lines]
        assert not any(half in line for half in HALVES for line in told)
        assert sum("[redacted:" in line for line in told) == sum(any(h in line for h in HALVES) for line in lines)
        assert [line[2:] for line in lines_of(clean)] == [line[2:] for line in lines_of(diff)]


def turned(hunk):
    return replace(hunk, lines=tuple(line._replace(kind="-", old=line.new, new=None) for line in hunk.lines))


def lines_of(diff):
    return [line for file in diff.files for hunk in file.hunks for line in hunk.lines]


def test_a_change_without_secrets_stays_as_it_is():
    diff = diff_of("x = 1\ny = 2")
    assert without_secrets_in(diff) == diff


def test_text_without_secrets():
    text = f'a = "{TOKEN}"\nb = "é"\npassword = "hX9$kd02lQ"\n'
    assert without_secrets(text).splitlines()[1] == 'b = "é"'
    assert TOKEN not in without_secrets(text)
    assert "hX9$kd02lQ" not in without_secrets(text)
    assert without_secrets("nothing here") == "nothing here"


@given(st.text(alphabet="\"'`+\\\n\r .:>|ab-", max_size=60))
def test_pieces_come_from_where_they_are_said_to(text):
    together = joined(text)
    if together is not None:
        for at, character in enumerate(together.text):
            assert text[together.origin(at)] == character


@given(st.text(max_size=60))
def test_any_text_is_screened(text):
    lines = text.replace("\r", "").split("\n")
    detected = detect(diff_of(lines), DetectorSettings())
    assert "secrets" in detected.ran
