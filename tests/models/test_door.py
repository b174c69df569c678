from __future__ import annotations

import subprocess
import sys

import pytest

import senno.models


def test_the_door_loads_no_providers_package() -> None:
    heavy = "pydantic_ai openai anthropic httpx httpx2 genai_prices xllamacpp pydantic apsw"
    code = f"import sys; from senno.models import *; print(*(set({heavy!r}.split()) & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == ""


@pytest.mark.parametrize("name", senno.models.__all__)
def test_every_name_of_the_door_is_there(name) -> None:
    assert getattr(senno.models, name) is not None


def test_another_name_is_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = senno.models.Nothing
