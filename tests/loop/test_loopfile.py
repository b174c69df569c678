"""What a loop file may not say is refused with file, key, what was expected, and exit code 2."""

import copy

import pytest

from senno.errors import ConfigError
from senno.loop import load_loop
from small_loop import described, write_loop

REMOVE = object()


def changed(path, value):
    data = copy.deepcopy(described())
    *parents, last = path.split(".")
    inner = data
    for key in parents:
        inner = inner.setdefault(key, {})
    if value is REMOVE:
        del inner[last]
    else:
        inner[last] = value
    return data


MODEL = {"output": "roles.py:Ideas", "prompt": "actor.md"}
REFINER = {"output": "roles.py:Asked", "call": "roles.py:act"}
CRITIC = {"call": "roles.py:act"}
CHANGES = [
    ("roles", {}, "roles.actor", "this key is missing"),
    ("roles.actr", {}, "roles.actr", "did you mean 'actor'?"),
    ("roles.actor.promt", "x", "roles.actor.promt", "did you mean 'prompt'?"),
    ("ruonds", 3, "ruonds", "did you mean 'rounds'?"),
    ("items.feild", "x", "items.feild", "did you mean 'field'?"),
    ("name", REMOVE, "name", "this key is missing"),
    ("name", "My Loop", "name", "found 'My Loop'"),
    ("name", "", "name", "found ''"),
    ("rounds", 0, "rounds", "found 0"),
    ("rounds", 101, "rounds", "found 101"),
    ("rounds", "three", "rounds", "found 'three'"),
    ("reasks", -1, "reasks", "found -1"),
    ("budget", {"tokens": 0}, "budget.tokens", "found 0"),
    ("budget", {"cost": -1}, "budget.cost", "found -1"),
    ("budget", {"secs": 1}, "budget.secs", "unknown key"),
    ("roles.actor.temperature", 3, "roles.actor.temperature", "found 3"),
    ("roles.actor.output", REMOVE, "roles.actor.output", "this key is missing"),
    ("roles.actor.output", "roles.py:act", "roles.actor.output", "a Pydantic model"),
    ("roles.actor.output", "roles.py:BaseModell", "roles.actor.output", "did you mean 'BaseModel'?"),
    ("roles.actor.output", "roles.py", "roles.actor.output", "file.py:name"),
    ("roles.actor.output", "a:b:c", "roles.actor.output", "file.py:name"),
    ("roles.actor.output", "role.py:Ideas", "roles.actor.output", "did you mean 'roles.py'?"),
    ("roles.actor.output", "../roles.py:Ideas", "roles.actor.output", "in the folder of the loop"),
    ("roles.actor.output", "checks.json:Ideas", "roles.actor.output", "a .py file"),
    ("roles.actor.output", "a\0.py:Ideas", "roles.actor.output", "a .py file"),
    ("roles.actor.output", "x" * 300 + ".py:Ideas", "roles.actor.output", "is not there"),
    ("roles.actor.call", REMOVE, "roles.actor", "it says nothing to do"),
    ("roles.actor.prompt", "actor.md", "roles.actor", "call beside prompt"),
    ("roles.actor.call", "roles.py:CONSTANT", "roles.actor.call", "has no 'CONSTANT'"),
    ("roles.actor.call", "roles.py:__doc__", "roles.actor.call", "expected a function"),
    ("roles.actor.input", "roles.py:act", "roles.actor.input", "a Pydantic model"),
    ("roles.actor", {**MODEL, "prompt": "missing.md"}, "roles.actor.prompt", "is not there"),
    ("roles.actor", {**MODEL, "prompt": "actr.md"}, "roles.actor.prompt", "did you mean 'actor.md'?"),
    ("roles.actor", {**MODEL, "prompt": "empty.md"}, "roles.actor.prompt", "is empty"),
    ("roles.actor", {**MODEL, "prompt": "../actor.md"}, "roles.actor.prompt", "in the folder of the loop"),
    ("roles.actor", {**MODEL, "prompt": "/etc/hostname"}, "roles.actor.prompt", "in the folder of the loop"),
    ("roles.actor", {**MODEL, "prompt": "a\0b"}, "roles.actor.prompt", "in the folder of the loop"),
    ("roles.actor", {**MODEL, "prompt": "x" * 300}, "roles.actor.prompt", "is not there"),
    ("roles.actor", {**MODEL, "prompt": "."}, "roles.actor.prompt", "is not there"),
    ("roles.actor", {**MODEL, "prompt": "latin1.md"}, "latin1.md", "is not UTF-8"),
    ("roles.actor", {**MODEL, "tools": ["roles.py:Idea"]}, "roles.actor.tools.0", "a function"),
    ("roles.actor", {**MODEL, "tools": ["roles.py:search", "tools.py:bare"]}, "roles.actor.tools.1", "no docstring"),
    ("roles.actor", {**MODEL, "tools": ["tools.py:untyped"]}, "roles.actor.tools.0", "'query' has no annotation"),
    ("roles.actor", {**MODEL, "tools": ["tools.py:starred"]}, "roles.actor.tools.0", "'queries' has no annotation"),
    ("roles.actor", {**MODEL, "tools": ["tools.py:odd"]}, "roles.actor.tools.0", "types that JSON can carry"),
    ("roles.actor", {**MODEL, "tools": ["tools.py:unknown"]}, "roles.actor.tools.0", "Nowhere"),
    ("roles.critic", {**CRITIC, "output": "roles.py:Ideas"}, "roles.critic.output", "a subclass of Critique"),
    ("roles.curator", {**CRITIC, "output": "roles.py:Ideas"}, "roles.curator.output", "a subclass of Wording"),
    ("roles.critic", CRITIC, "checks", "nothing to report on"),
    ("checks", ["TRUE"], "roles.critic", "no critic"),
    ("judge", {}, "checks", "nothing is checked"),
    ("judge.checks", "chcks.json", "judge.checks", "did you mean 'checks.json'?"),
    ("judge.checks", "questions.json", "judge.policy", "questions need thresholds"),
    ("judge.policy", "verdicts.json", "verdicts.json: verdicts", "ACCEPT, REFUSE, UNVERIFIED"),
    ("judge.policy", "idle.json", "idle.json: verdicts", "no rule is about 'short'"),
    ("judge.policy", "unknown.json", "unknown.json: verdicts.0.rules.0.check", "did you mean 'short'?"),
    ("judge.without_model", "roles.py:nobody", "judge.without_model", "has no 'nobody'"),
    ("evidence", "roles.py:nobody", "evidence", "has no 'nobody'"),
    ("clarify", "questions", "clarify", "there is no refiner"),
    ("wanted", {"field": "count"}, "wanted.field", "there is no refiner"),
    ("wanted", {"default": 21}, "wanted.default", "at most 20"),
    ("items.field", "idea", "items.field", "did you mean 'ideas'?"),
    ("items.key", [], "items.key", "this key is missing"),
    ("items.key", ["txt"], "items.key", "did you mean 'text'?"),
    ("items.show", ["title"], "items.show", "Idea has no field 'title'"),
    ("items.text", "body", "items.text", "Idea has no field 'body'"),
    ("items", {"key": ["nothing"]}, "items.key", "Ideas has no field 'nothing'"),
]  # fmt: skip
FILES = {
    "actor__md": "Write.", "empty__md": " \n",
    "questions__json": '{"q": {"type": "noul", "instructions": "Is it?"}}',
    "verdicts__json": '{"verdicts": [{"name": "DROP", "rules": [{"check": "short", "op": "lt", "value": 1}]}, '
                      '{"name": "ACCEPT", "rules": []}]}',
    "idle__json": '{"verdicts": [{"name": "ACCEPT", "rules": []}]}',
    "unknown__json": '{"verdicts": [{"name": "REFUSE", "rules": [{"check": "shrt", "op": "lt", "value": 1}]}, '
                     '{"name": "ACCEPT", "rules": []}]}',
    "tools__py": (
        "def bare(query: str) -> str:\n    return query\n\n\ndef untyped(query):\n    '''Search.'''\n\n\n"
        "def starred(*queries: str):\n    '''Search.'''\n\n\ndef odd(query: object()):\n    '''Search.'''\n\n\n"
        "def unknown(query: 'Nowhere'):\n    '''Search.'''\n"
    ),
}  # fmt: skip


def refused(folder):
    with pytest.raises(ConfigError) as error:
        load_loop(folder)
    assert error.value.exit_code == 2
    return str(error.value)


@pytest.mark.parametrize(("path", "value", "key", "said"), CHANGES)
def test_a_mistake_is_refused_with_file_and_key(tmp_path, path, value, key, said):
    folder = write_loop(tmp_path / "small", changed(path, value), **FILES)
    (folder / "latin1.md").write_bytes("perché".encode("latin-1"))
    told = refused(folder)
    assert str(folder) in told
    assert key in told
    assert said in told


def test_the_loop_that_all_of_these_change_is_fine(tmp_path):
    assert load_loop(write_loop(tmp_path / "small", **FILES)).name == "small"


REFINED = {"roles": {**described()["roles"], "refiner": REFINER}}


@pytest.mark.parametrize(
    ("over", "key", "said"),
    [
        ({"clarify": "question"}, "clarify", "did you mean 'questions'?"),
        ({"wanted": {"field": "cont"}}, "wanted.field", "did you mean 'count'?"),
    ],
)
def test_a_field_of_the_request_that_is_not_there_is_refused(tmp_path, over, key, said):
    told = refused(write_loop(tmp_path / "small", described(**REFINED, **over)))
    assert f"loop.yaml: {key}: Asked has no field" in told
    assert said in told


@pytest.mark.parametrize("checks", [["A", "A"], ["short"]])
def test_a_check_that_stands_twice_is_refused(tmp_path, checks):
    data = described(checks=checks, roles={**described()["roles"], "critic": CRITIC})
    assert "stands twice; expected each name once" in refused(write_loop(tmp_path / "small", data))


def test_items_that_are_no_list_are_refused(tmp_path):
    roles = "\n\nclass One(BaseModel):\n    ideas: str\n"
    folder = write_loop(tmp_path / "small", changed("roles.actor.output", "roles.py:One"), roles=roles)
    assert "items.field: One.ideas is no list" in refused(folder)


@pytest.mark.parametrize("field", ["ideas: 'list[Nowhere]'", "ideas: list\n    how: Callable[[], int]"])
def test_an_output_that_json_cannot_carry_is_refused(tmp_path, field):
    roles = f"\n\nfrom collections.abc import Callable\n\n\nclass Odd(BaseModel):\n    {field}\n"
    folder = write_loop(tmp_path / "small", changed("roles.actor.output", "roles.py:Odd"), roles=roles)
    assert "roles.actor.output: roles.py:Odd has no JSON Schema" in refused(folder)


CODE = {
    "a syntax error": ("\n\ndef broken(:\n", ":36", "SyntaxError"),
    "an error at import": ("\n\n1 / 0\n", ":36", "ZeroDivisionError"),
    "an import that is not there": ("\n\nimport nowhere_at_all\n", ":36", "nowhere_at_all"),
    "an exit": ("\n\nraise SystemExit(0)\n", ":36", "sys.exit(0)"),
}


@pytest.mark.parametrize(("code", "line", "said"), CODE.values(), ids=CODE)
def test_a_module_that_does_not_import_is_refused_with_its_line(tmp_path, code, line, said):
    folder = write_loop(tmp_path / "small", roles=code)
    told = refused(folder)
    assert f"{folder / 'roles.py'}{line}" in told
    assert said in told


RAW = {
    "no YAML": (b"name: [a\n", "loop.yaml:"),
    "a list": (b"- name\n", "the top level is a list"),
    "a tab": (b"name: a\nroles:\n\tactor: {}\n", "loop.yaml:3:1"),
    "a key twice": (b"name: a\nname: b\n", "loop.yaml:2:1"),
    "empty": (b"", "the top level is nothing"),
    "Latin-1": ("name: perché\n".encode("latin-1"), "byte 11 (0xe9) is not UTF-8"),
    "UTF-16": ("name: a\n".encode("utf-16"), "is not UTF-8"),
    "a number for a key": (b"1: a\n", "the key 1 is a number"),
    "a tag of Python": (b"name: !!python/name:os.system\n", "loop.yaml:1:7"),
}


@pytest.mark.parametrize(("raw", "said"), RAW.values(), ids=RAW)
def test_a_file_that_is_no_mapping_in_yaml_is_refused_with_its_place(tmp_path, raw, said):
    folder = write_loop(tmp_path / "small")
    (folder / "loop.yaml").write_bytes(raw)
    assert said in refused(folder)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    folder = write_loop(tmp_path / "small")
    raw = (folder / "loop.yaml").read_bytes()
    (folder / "loop.yaml").write_bytes(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"))
    assert load_loop(folder).name == load_loop(folder / "loop.yaml").name == "small"


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    folder = write_loop(tmp_path / "small", changed("roles.actor", MODEL))
    (tmp_path / "outside.md").write_text("Write.")
    (folder / "actor.md").symlink_to(tmp_path / "outside.md")
    assert "in the folder of the loop" in refused(folder)
    (folder / "actor.md").unlink()
    (folder / "actor.md").write_text("Write.")
    (folder / "roles.py").rename(tmp_path / "roles.py")
    (folder / "roles.py").symlink_to(tmp_path / "roles.py")
    assert "is a link to" in refused(folder)


def test_digests_name_every_file_of_the_loop_and_change_with_it(tmp_path):
    folder = write_loop(tmp_path / "small", changed("roles.actor", MODEL), **FILES)
    before = load_loop(folder).digests
    (folder / "actor.md").write_text("Write well.")
    after = load_loop(folder).digests
    assert set(before) == {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    assert [name for name in before if before[name] != after[name]] == ["actor.md"]
