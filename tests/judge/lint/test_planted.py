import importlib.util
import json
from pathlib import Path

import pytest

from senno.judge.lint import RULES, lint_questions, read_linted

_SPEC = importlib.util.spec_from_file_location("planted", Path(__file__).with_name("planted.py"))
assert _SPEC
assert _SPEC.loader
_MODULE = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
PLANTED = list(_MODULE.planted())


def _found(tmp_path, request):
    file = tmp_path / "request.json"
    file.write_text(json.dumps(request), encoding="utf-8")
    return {f.rule.id for f in lint_questions(read_linted(file)[0]).findings if f.question in ("q", "twin")}


def _name(planted):
    asked = planted.request["questions"]["q"]["instructions"]
    return f"{planted.rule}-{planted.language}-{'defect' if planted.defect else 'near-miss'}-{str(asked)[:30]}"


@pytest.mark.parametrize("planted", PLANTED, ids=_name)
def test_a_planted_defect_is_found_and_a_near_miss_is_not(tmp_path, planted):
    assert (planted.rule in _found(tmp_path, planted.request)) is planted.defect


def test_every_rule_on_questions_is_planted_in_both_languages_with_a_defect_and_two_near_misses():
    kinds = {(p.rule, p.language, p.defect): 0 for p in PLANTED}
    for planted in PLANTED:
        kinds[planted.rule, planted.language, planted.defect] += 1
    ruled = [rule for rule in RULES if rule.startswith("SJ0") and rule not in ("SJ000", "SJ024", "SJ025", "SJ026")]
    lacking = [
        (rule, language)
        for rule in ruled
        for language in ("en", "it")
        if kinds.get((rule, language, True), 0) < 1 or kinds.get((rule, language, False), 0) < 2
    ]
    assert lacking == []


@pytest.mark.parametrize("planted", [p for p in PLANTED if p.language == "it" and p.defect], ids=_name)
def test_decomposed_letters_and_typographic_apostrophes_change_nothing(tmp_path, planted):
    import unicodedata

    def other(value):
        if isinstance(value, str):
            return unicodedata.normalize("NFD", value).replace("'", "’")
        if isinstance(value, dict):
            return {key: other(inner) for key, inner in value.items()}
        return [other(inner) for inner in value] if isinstance(value, list) else value

    request = {**planted.request, "questions": {k: other(q) for k, q in planted.request["questions"].items()}}
    assert planted.rule in _found(tmp_path, request)
