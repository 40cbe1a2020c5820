"""Units that are converted without the registry of all units."""

import pytest

from motiform.base.units import quantity
from motiform.record.si import _USUAL, _conversion


@pytest.mark.parametrize("unit", _USUAL)
def test_usual_units_are_as_the_registry_has_them(unit):
    si, factor, offset = _conversion(unit)
    assert quantity(f"0 {unit}", si) == offset == 0.0
    assert quantity(f"1 {unit}", si) == factor
