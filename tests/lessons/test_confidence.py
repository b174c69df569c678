import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from senno.lessons import composite

unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("stated", "profile", "weight", "value"),
    [
        (0.9, 0.5, 0.6, 0.74),
        (0.6, 0.6, 0.6, 0.6),
        (0.0, 1.0, 0.6, 0.4),
        (1.0, 0.0, 0.6, 0.6),
        (1.0, 0.3, 1.0, 1.0),
        (1.0, 0.3, 0.0, 0.3),
        (0.0, 0.5, 0.6, 0.2),  # a stated 0 is a statement, and not the lack of one
        (None, 0.5, 0.6, 0.5),
    ],
)
def test_confidence_weighs_what_is_stated_with_the_profile(stated, profile, weight, value):
    assert composite(stated, profile, weight).value == value


def test_a_confidence_that_was_not_stated_is_the_profile_and_says_so():
    found = composite(None, 0.5, 0.6)
    assert found.conflict == 0
    assert "no confidence was stated" in str(found)
    assert "stated 0.90" in str(composite(0.9, 0.5, 0.6))


@pytest.mark.parametrize("bad", [-0.01, 1.01, math.nan, math.inf])
def test_what_is_not_on_the_unit_interval_is_refused_by_name(bad):
    with pytest.raises(ValueError, match="stated confidence"):
        composite(bad, 0.5, 0.6)
    with pytest.raises(ValueError, match="profile"):
        composite(0.5, bad, 0.6)


@given(unit, unit, unit)
def test_confidence_lies_between_its_parts(stated, profile, weight):
    found = composite(stated, profile, weight)
    assert min(stated, profile) - 1e-9 <= found.value <= max(stated, profile) + 1e-9
    assert found.conflict == abs(stated - profile)
