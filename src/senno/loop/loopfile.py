"""Reading a loop file (`loop.yaml`): what it may not say is refused with file, key and what was expected."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError

from senno.errors import FileFormatError
from senno.files import first_fault, format_error, is_file, kind_of, read_mapping, read_text
from senno.judge import CheckFile, Policy, load_check_file, load_policy, parse_policy
from senno.loop.board import STATES
from senno.loop.pycode import Folder, python_tool
from senno.loop.spec import ROLES, Items, LoopSpec, Role, RoleName, Wanted
from senno.loop.values import Critique, Wording
from senno.models import Budget
from senno.text import did_you_mean, folded

FILE = "loop.yaml"
MOST_FILES = 200
"""Files of a loop's folder whose digests a run records."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Budget(_Part):
    tokens: int | None = Field(None, ge=1)
    cost: Decimal | None = Field(None, gt=0)
    seconds: float | None = Field(None, gt=0)
    calls: int | None = Field(None, ge=1)

    def read(self) -> Budget:
        return Budget(tokens=self.tokens, cost=self.cost, seconds=self.seconds, calls=self.calls)


class _Role(_Part):
    name: str = ""
    prompt: str | None = None
    call: str | None = None
    without_model: str | None = None
    input: str | None = None
    output: str | None = None
    tools: list[str] = Field(default_factory=list[str])
    budget: _Budget = _Budget()  # pyright: ignore[reportCallIssue]
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)


class _Roles(_Part):
    refiner: _Role | None = None
    actor: _Role
    critic: _Role | None = None
    curator: _Role | None = None


class _Items(_Part):
    field: str = ""
    key: list[str] = Field(default_factory=list[str])
    show: list[str] = Field(default_factory=list[str])
    text: str = ""


class _Wanted(_Part):
    field: str = ""
    default: int = Field(1, ge=1)
    most: int = Field(20, ge=1)


class _Judge(_Part):
    checks: str | None = None
    policy: str | None = None
    without_model: str | None = None


class _LoopFile(_Part):
    name: str = Field(min_length=1, max_length=60, pattern=r"^[a-z0-9][a-z0-9_-]*$")
    description: str = ""
    rounds: int = Field(3, ge=1, le=100)
    reasks: int = Field(2, ge=0, le=10)
    clarify: str = ""
    wanted: _Wanted = _Wanted()  # pyright: ignore[reportCallIssue]
    roles: _Roles
    items: _Items = _Items()  # pyright: ignore[reportCallIssue]
    evidence: str | None = None
    checks: list[str] = Field(default_factory=list[str])
    judge: _Judge = _Judge()  # pyright: ignore[reportCallIssue]
    budget: _Budget = _Budget()  # pyright: ignore[reportCallIssue]


def load_loop(path: Path) -> LoopSpec:
    """Read a loop from its folder, or from its `loop.yaml`.

    Raises:
        FileFormatError: a key, a reference, a prompt, a policy is wrong: file, key, what was expected.
        ConfigError: a file cannot be read.
    """
    file = path / FILE if path.is_dir() else path
    data = read_mapping(file)
    try:
        read = _LoopFile.model_validate(data)
    except ValidationError as error:
        raise format_error(str(file), error, _known_at(error)) from None
    return _Resolver(file, read).spec()


def _known_at(error: ValidationError) -> Mapping[str, Any]:
    """The keys known where the fault is."""
    model: type[BaseModel] = _LoopFile
    for part in first_fault(error)["loc"][:-1]:
        field = model.model_fields.get(str(part))
        options = getattr(field.annotation, "__args__", (field.annotation,)) if field else ()
        model = next((o for o in options if isinstance(o, type) and issubclass(o, BaseModel)), model)
    return model.model_fields


class _Resolver:
    """Turns names in the file into what they name, or refuses."""

    def __init__(self, file: Path, read: _LoopFile) -> None:
        self._file = file
        self._read = read
        self._folder = Folder(file.parent, str(file))

    def _refuse(self, key: str, problem: str, expected: str, hint: str = "") -> FileFormatError:
        return FileFormatError(f"{self._file}: {key}", problem, expected, hint)

    def spec(self) -> LoopSpec:
        read = self._read
        roles = self._roles()
        items = self._items(roles["actor"].output)
        checks, judged, policy = self._judge()
        if checks and "critic" not in roles:
            raise self._refuse("roles.critic", "there are checks and no critic", "a critic to report on them")
        if "critic" in roles and not checks:
            raise self._refuse("checks", "the critic has nothing to report on", "a list of names")
        self._field_of_request("clarify", read.clarify, roles)
        self._field_of_request("wanted.field", read.wanted.field, roles)
        if read.wanted.default > read.wanted.most:
            raise self._refuse(
                "wanted.default", f"found {read.wanted.default}", f"at most {read.wanted.most} (wanted.most)"
            )
        return LoopSpec(
            name=read.name,
            description=read.description,
            path=self._file,
            roles=roles,
            items=items,
            wanted=Wanted(read.wanted.field, read.wanted.default, read.wanted.most),
            rounds=read.rounds,
            reasks=read.reasks,
            checks=checks,
            judged=judged,
            policy=policy,
            clarify=read.clarify,
            evidence=self._function("evidence", read.evidence),
            judge_without_model=self._function("judge.without_model", read.judge.without_model),
            budget=read.budget.read(),
            digests=_digests(self._file.parent),
        )

    def _roles(self) -> dict[RoleName, Role]:
        roles: dict[RoleName, Role] = {}
        for role in ROLES:
            data: _Role | None = getattr(self._read.roles, role)
            if data is not None:
                roles[role] = self._role(role, data)
        return roles

    def _role(self, role: RoleName, data: _Role) -> Role:
        at = f"roles.{role}"
        if data.call and (data.prompt or data.without_model):
            raise self._refuse(at, "call beside prompt or without_model", "call alone, or prompt (and without_model)")
        if not (data.call or data.prompt or data.without_model):
            raise self._refuse(at, "it says nothing to do", "prompt: a file, or call: file.py:function")
        prompt = self._text(f"{at}.prompt", data.prompt) if data.prompt else None
        return Role(
            role=role,
            name=data.name or role.capitalize(),
            output=self._output(role, at, data.output),
            prompt=prompt,
            prompt_file=data.prompt or "",
            input=self._model(f"{at}.input", data.input) if data.input else None,
            tools=tuple(
                python_tool(self._folder.load(f"{at}.tools.{n}", t), f"{self._file}: {at}.tools.{n}")
                for n, t in enumerate(data.tools)
            ),
            call=self._function(f"{at}.call", data.call),
            without_model=self._function(f"{at}.without_model", data.without_model),
            budget=data.budget.read(),
            temperature=data.temperature,
            max_tokens=data.max_tokens,
        )

    def _output(self, role: RoleName, at: str, reference: str | None) -> type[BaseModel]:
        ours: dict[str, type[BaseModel]] = {"critic": Critique, "curator": Wording}
        if reference is None:
            if role not in ours:
                raise self._refuse(f"{at}.output", "this key is missing", "file.py:Name of a Pydantic model")
            return ours[role]
        model = self._model(f"{at}.output", reference)
        if role in ours and not issubclass(model, ours[role]):
            name = ours[role].__name__
            raise self._refuse(f"{at}.output", f"{model.__name__} is no senno.loop.{name}", f"a subclass of {name}")
        return model

    def _model(self, at: str, reference: str) -> type[BaseModel]:
        value = self._folder.load(at, reference)
        if not (isinstance(value, type) and issubclass(value, BaseModel)):
            raise self._refuse(at, f"{reference} is {kind_of(value)}", "a Pydantic model (class …(BaseModel))")
        try:
            value.model_json_schema()
        except PydanticUserError as error:
            problem = f"{reference} has no JSON Schema: {str(error).splitlines()[0]}"
            raise self._refuse(at, problem, "fields that JSON can carry") from None
        return value

    def _function(self, at: str, reference: str | None) -> Callable[..., Any] | None:
        if reference is None:
            return None
        value = self._folder.load(at, reference)
        if not callable(value):
            raise self._refuse(at, f"{reference} is {kind_of(value)}", "a function")
        return value

    def _path(self, at: str, name: str) -> Path:
        path = self._file.parent / name
        if "\0" in name or not path.resolve().is_relative_to(self._file.parent.resolve()):
            raise self._refuse(at, f"found {name!r}", "a file in the folder of the loop")
        if not is_file(path):
            raise self._refuse(at, f"{path} is not there", "a file", did_you_mean(path.name, _names(path.parent))[2:])
        return path

    def _text(self, at: str, name: str) -> str:
        text = read_text(self._path(at, name))
        if not text.strip():
            raise self._refuse(at, f"{name} is empty", "the instructions of the role")
        return text

    def _items(self, output: type[BaseModel]) -> Items:
        read = self._read.items
        item: type[BaseModel] | None = output
        if read.field:
            self._is_field("items.field", read.field, output)
            item = self._item_model(output, read.field)
            if not read.key:
                expected = "the fields that make two items the same: [title]"
                raise self._refuse("items.key", "this key is missing", expected)
        if item is not None:
            for key, names in (("key", read.key), ("show", read.show), ("text", [read.text] if read.text else [])):
                for name in names:
                    self._is_field(f"items.{key}", name, item)
        show = tuple(read.show or read.key)
        return Items(read.field, tuple(read.key), show, read.text)

    def _item_model(self, output: type[BaseModel], field: str) -> type[BaseModel] | None:
        """The model of one item; `None`: the items are of another type, whose fields are not known."""
        annotation = output.model_fields[field].annotation
        kinds = [annotation, *get_args(annotation)]
        of_list = next((get_args(kind) for kind in kinds if get_origin(kind) is list), None)
        if of_list is None:
            raise self._refuse("items.field", f"{output.__name__}.{field} is no list", "a field such as list[Item]")
        return of_list[0] if isinstance(of_list[0], type) and issubclass(of_list[0], BaseModel) else None

    def _is_field(self, at: str, name: str, model: type[BaseModel]) -> None:
        known = {**model.model_fields, **model.model_computed_fields}
        if name not in known and model.model_config.get("extra") != "allow":
            near = did_you_mean(name, known)[2:]
            raise self._refuse(at, f"{model.__name__} has no field {name!r}", "one of its fields", near)

    def _field_of_request(self, at: str, name: str, roles: Mapping[RoleName, Role]) -> None:
        if not name:
            return
        if "refiner" not in roles:
            raise self._refuse(at, "there is no refiner", "a refiner whose output has this field")
        self._is_field(at, name, roles["refiner"].output)

    def _judge(self) -> tuple[tuple[str, ...], CheckFile, Policy]:
        read = self._read
        checks = tuple(read.checks)
        file = read.judge.checks
        judged = load_check_file(self._path("judge.checks", file)) if file else CheckFile(folder=self._file.parent)
        names = [folded(c) or c for c in checks]
        twin = next((c for c, n in zip(checks, names, strict=True) if names.count(n) > 1), None)
        twin = twin or next((c for c in checks if c in judged.checks or c in judged.questions), None)
        if twin:
            raise self._refuse("checks", f"{twin!r} stands twice", "each name once, in checks and judge.checks")
        if not (checks or judged.checks or judged.questions):
            raise self._refuse("checks", "nothing is checked", "checks for a critic, or judge.checks")
        if read.judge.policy is None:
            return checks, judged, self._every_check_must_pass(checks, judged)
        path = self._path("judge.policy", read.judge.policy)
        policy = load_policy(path, judged, extra=checks)
        ruled = {r.check for verdict in policy.verdicts for rule in verdict.rules for r in (rule, *rule.unless)}
        idle = next((c for c in (*checks, *judged.checks, *judged.questions) if c not in ruled), None)
        if idle:
            hint = f"an item that fails {idle!r} would be accepted"
            raise FileFormatError(f"{path}: verdicts", f"no rule is about {idle!r}", "one at least", hint)
        odd = next((v.name for v in policy.verdicts if v.name not in STATES), None)
        if odd:
            raise FileFormatError(f"{path}: verdicts", f"found {odd!r}", "in a loop: " + ", ".join(STATES))
        return checks, judged, policy

    def _every_check_must_pass(self, checks: tuple[str, ...], judged: CheckFile) -> Policy:
        if judged.questions:
            raise self._refuse("judge.policy", "this key is missing", "a policy: questions need thresholds")
        rules = [{"check": c, "op": "lt", "value": 0.5} for c in (*checks, *judged.checks)]
        verdicts: list[dict[str, Any]] = [{"name": "REFUSE", "rules": rules}, {"name": "ACCEPT", "rules": []}]
        return parse_policy({"verdicts": verdicts}, str(self._file), judged, extra=checks)


def _names(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir()] if folder.is_dir() else []


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a loop: prompts, policies, Python and data alike make a run what it is."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".pyc")
    own = [p for p in files if not any(part.startswith(".") for part in p.relative_to(folder).parts)]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in own[:MOST_FILES]}
