from __future__ import annotations

import pytest

from senno.models import is_pinned, same_version
from senno.models.decisions.versions import names_version


@pytest.mark.parametrize(
    ("name", "pinned", "versioned"),
    [
        ("jev-1.13.0", True, True),
        (" Jev-1.13.0 ", True, True),
        ("typesafe/jev-1.13-20260917", True, True),
        ("gpt-4o-2024-08-06", True, True),
        ("claude-sonnet-4-5-20250929", True, True),
        ("sparrow-nano-general-v1.1", True, True),
        ("m@sha256:0123456789abcdef", True, True),
        ("jev-1.13", False, True),
        ("jev-latest", False, False),
        ("~typesafe/jev-latest", False, False),
        ("jev-preview", False, False),
        ("jev-1.13.0-preview", False, True),
        ("jev", False, False),
        ("jev-1", False, False),
        ("gpt-6-luna", False, False),
        ("llama3.2", False, False),
        ("qwen2.5-coder:1.5b", False, False),
        ("jev-20269999", False, False),
        ("", False, False),
    ],
)
def test_a_pinned_name_means_one_version_for_good(name, pinned, versioned) -> None:
    assert (is_pinned(name), names_version(name)) == (pinned, versioned)


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("jev-1.13.0", "jev-1.13.0", True),
        ("jev-1.13.0", "JEV-1.13.0", True),
        ("jev-1.13.0", "typesafe/jev-1.13.0", True),
        ("jev-1.13.0", "typesafe/jev-1.13-20260917", True),
        ("typesafe/jev-1.13-20260917", "jev-1.13.0", True),
        ("jev-1.13", "jev-1.13.0", True),
        ("jev-1.13", "jev-1.13.2", True),
        ("jev-1.13", "typesafe/jev-1.13-20260917", True),
        ("gpt-4o-2024-08-06", "gpt-4o-20240806", True),
        ("gpt-6-luna", "gpt-6-luna-2026-10-06", True),
        ("llama3.2", "llama3.2:latest", True),
        ("m-v1.1", "m-1.1", True),
        ("jev-1.13.0", "jev-1.14.0", False),
        ("jev-1.13.0", "jev-1.13.1", False),
        ("jev-1.13.1", "jev-1.13", False),
        ("jev-1.13.1", "typesafe/jev-1.13-20260917", False),
        ("jev-1.13", "jev-1.14-20261101", False),
        ("jev-1.1", "jev-1.13.0", False),
        ("jev-1.13.0", "jev-latest", False),
        ("jev-1.13.0", "jev", False),
        ("jev-1.13.0", "jev-1.13.0-mini", False),
        ("jev-1.13.0", "kev-1.13.0", False),
        ("jev-1.13.0", "jevcompat-mock-0.1", False),
        ("typesafe/jev-1.13-20260917", "typesafe/jev-1.13-20261017", False),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20", False),
        ("gpt-4o-2024-08-06", "gpt-4o", False),
        ("jev-1.13.0", "", False),
    ],
)
def test_two_names_of_one_version_are_the_same_and_no_others(asked, answered, same) -> None:
    assert same_version(asked, answered) is same
