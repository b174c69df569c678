"""`senno judge lint` against jevkit-lint and jevlint: planted defects that each finds, near misses at which each fires.

    python bench/lint_bench.py [--peers PYTHON] [--questions FILE.json]

The peers run in an environment of their own (default `.venv-bench`; `pip install jevkit-lint jevlint` in it). Four
sets: the one that the tests hold senno to (`tests/judge/lint/planted.json`), which it was made with; one that was
written before it was first run on it (`lint_sets/held_out.json`; what it found then stands in `design/lint.md`);
questions with nothing wrong but that they have no criteria (`lint_sets/sound.json`, the same); and the fixtures that
come with jevlint, where it is there. `--questions` counts findings on a list of questions of your own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from peers import VENV
from report import write

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "judge" / "lint"))

JEVKIT = {
    "SJ002": "JEV001", "SJ003": "JEV002", "SJ004": "JEV003", "SJ005": "JEV004", "SJ006": "JEV004", "SJ007": "JEV007",
    "SJ008": "JEV005", "SJ009": "JEV006", "SJ016": "JEV013", "SJ017": "JEV008", "SJ018": "JEV010", "SJ019": "JEV011",
    "SJ020": "JEV012", "SJ021": "JEV012", "SJ022": "JEV018",
}  # fmt: skip
JEVLINT = {
    "SJ010": "noul/no-criteria", "SJ017": "choice/no-fallback", "SJ018": "choice/undescribed-options",
    "SJ019": "score/numeric-levels", "SJ020": "question/no-instructions", "SJ021": "question/instruction-is-id",
    "SJ022": "query/duplicate-instructions",
}  # fmt: skip
FIXTURES = {
    "question/compound-judgment": "SJ001", "question/arithmetic": "SJ002", "question/date-comparison": "SJ003",
    "question/generation": "SJ004", "question/type-mismatch": "SJ004", "question/double-negative": "SJ005",
    "noul/negated-phrasing": "SJ006", "question/criteria-contradiction": "SJ007",
    "question/undefined-boundary": "SJ008",
    "question/indirection": "SJ009", "question/criteria-off-topic": "SJ027", "question/refers-to-sibling": "SJ016",
    "score/degree-levels": "SJ019",
}  # fmt: skip

ANY = "any"
"""In place of a rule: whatever fires is a false alarm, but for the rules that miss criteria."""
NO_CRITERIA = ("SJ010", "noul/no-criteria")

PEER = """
import json, sys, tempfile, os
which = sys.argv[1]
out = []
for request in json.load(sys.stdin):
    try:
        if which == "jevkit-lint":
            from jevkit_lint import lint
            every = lint(request["questions"], request.get("state") or "")
            found = [d.code for d in every if d.question_id in (None, "q", "twin")]
        else:
            from jevlint import Linter
            with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
                json.dump(request, file)
            found = [f.check_id for f in Linter.rules_only().check_file(file.name).findings()]
            os.unlink(file.name)
    except Exception as error:
        found = ["failed: " + type(error).__name__]
    out.append(found)
print(json.dumps(out))
"""


class Entry(NamedTuple):
    rule: str
    language: str
    defect: bool
    request: dict[str, Any]


def planted() -> list[Entry]:
    from planted import planted as every

    return [Entry(*each) for each in every()]


def held_out() -> list[Entry]:
    sets = json.loads((ROOT / "bench" / "lint_sets" / "held_out.json").read_text(encoding="utf-8"))
    return [
        Entry(rule, language, defect, _request(question))
        for language, rows in sets.items()
        for rule, bad, good in rows
        for question, defect in ((bad, True), (good, False))
    ]


def sound() -> list[Entry]:
    sets = json.loads((ROOT / "bench" / "lint_sets" / "sound.json").read_text(encoding="utf-8"))
    return [Entry(ANY, language, False, _request(question)) for language, rows in sets.items() for question in rows]


def _request(question: Any) -> dict[str, Any]:
    asked = {"instructions": question} if isinstance(question, str) else question
    return {"state": {"text": "…"}, "questions": {"q": {"type": "noul", **asked}}}


def fixtures(python: Path) -> list[Entry]:
    code = "import jevlint, pathlib; print(pathlib.Path(jevlint.__file__).parent / 'checks' / 'fixtures.json')"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    if found.returncode:
        return []
    rows = json.loads(Path(found.stdout.strip()).read_text(encoding="utf-8"))["fixtures"]
    return [
        Entry(FIXTURES[row["check"]], "en", kind == "broken", {"state": "…", "questions": {"q": row[kind]}})
        for row in rows
        for kind in ("clean", "broken", "fixed")
        if row["check"] in FIXTURES and "type" in row.get(kind, {})
    ]


def by_senno(entries: Sequence[Entry]) -> list[list[str]]:
    from senno.judge.lint import lint_questions, read_linted

    found: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "request.json"
        for entry in entries:
            file.write_text(json.dumps(entry.request), encoding="utf-8")
            every = lint_questions(read_linted(file)[0]).findings
            found.append([f.rule.id for f in every if f.question in (None, "q", "twin")])
    return found


def by_peer(python: Path, name: str, entries: Sequence[Entry]) -> list[list[str]] | None:
    requests = json.dumps([entry.request for entry in entries])
    ran = subprocess.run([python, "-c", PEER, name], input=requests, capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"{name} left out: {ran.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(ran.stdout)


def figures(entries: Sequence[Entry], found: Sequence[Sequence[str]], names: dict[str, str] | None) -> dict[str, Any]:
    """Defects found and near misses fired at, by language: by the rule that is meant, under the linter's own name."""
    told: dict[str, Any] = {}
    for language in ("en", "it"):
        counts = Counter[str]()
        for entry, ids in zip(entries, found, strict=True):
            if entry.language == language:
                wanted = entry.rule if names is None else names.get(entry.rule)
                kind = "defect" if entry.defect else "near miss"
                counts[kind] += 1
                counts[f"{kind} fired"] += (
                    any(i not in NO_CRITERIA for i in ids) if entry.rule == ANY else wanted in ids
                )
                counts["failed"] += any(each.startswith("failed") for each in ids)
        told[language] = dict(counts)
    return told


def rows(name: str, sets: dict[str, Any]) -> Iterator[str]:
    for linter, told in sets.items():
        for language, counts in told.items():
            if counts:
                yield (
                    f"| {name} | {language} | {linter} | "
                    f"{counts.get('defect fired', 0)} of {counts.get('defect', 0)} | "
                    f"{counts['near miss fired']} of {counts['near miss']} |"
                )


def on_questions(path: Path) -> dict[str, Any]:
    from senno.errors import FileFormatError

    listed = json.loads(path.read_text(encoding="utf-8"))
    counts = Counter[str]()
    for question in listed:
        try:
            (ids,) = by_senno([Entry("", "", False, {"questions": {"q": question}})])
        except FileFormatError:
            counts["no question in senno's form"] += 1
            continue
        counts["questions"] += 1
        counts.update(set(ids))
    return dict(counts.most_common())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", type=Path, default=VENV / "bin" / "python")
    parser.add_argument("--questions", type=Path)
    arguments = parser.parse_args()
    sets = {
        "planted": planted(),
        "held out": held_out(),
        "sound": sound(),
        "jevlint's fixtures": fixtures(arguments.peers),
    }
    lines = ["| set | language | linter | defects found | near misses fired at |", "| --- | --- | --- | ---: | ---: |"]
    kept: dict[str, Any] = {}
    for name, entries in sets.items():
        if not entries:
            continue
        began = time.perf_counter()
        by = {"senno": figures(entries, by_senno(entries), None)}
        seconds = time.perf_counter() - began
        for peer, names in (("jevkit-lint", JEVKIT), ("jevlint", JEVLINT)):
            found = by_peer(arguments.peers, peer, entries) if arguments.peers.is_file() else None
            if found is not None:
                by[peer] = figures(entries, found, names)
        lines += rows(name, by)
        kept[name] = {"linters": by, "senno milliseconds a question": round(1000 * seconds / len(entries), 2)}
    body = "\n".join(lines) + (
        "\n\nA defect is found where the linter's own rule for it fires; one it has no rule for counts as not found. "
        "jevlint without its questions to a model (`rules_only`): what it asks a model for is not in the table."
    )
    if arguments.questions:
        kept["questions"] = on_questions(arguments.questions)
        told = ", ".join(f"{name} {count}" for name, count in kept["questions"].items())
        body += f"\n\nOn other people's questions ({arguments.questions.name}): {told}."
    write("lint", "Lint of questions: senno and its peers", "python bench/lint_bench.py", ["senno"], body, kept)


if __name__ == "__main__":
    main()
