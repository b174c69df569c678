import importlib.util

import pytest

from senno.errors import ConfigError, MissingExtra
from senno.models import ScriptedText
from senno.tune.strategies import strategy_named

MODEL = ScriptedText("scripted:rewriter", [])


def test_a_strategy_is_had_by_its_name():
    assert strategy_named("hill-climb", MODEL).name == "hill-climb"


def test_another_name_is_refused_with_a_suggestion():
    with pytest.raises(ConfigError, match=r"'hill-clim'; did you mean 'hill-climb'\?; expected hill-climb or gepa"):
        strategy_named("hill-clim", MODEL)


def test_gepa_without_its_library_is_an_error_and_never_another_strategy(monkeypatch):
    """Complaint group 21 (Hermes #119): a silent fallback from GEPA to another optimizer."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'senno\[gepa\]'"):
        strategy_named("gepa", MODEL)
