"""Every room's door: what it offers is what it says, whatever else has been imported."""

import importlib
import pkgutil
from types import ModuleType

import pytest

import senno

EXTRAS = {"senno.models.llamacpp", "senno.__main__"}


def _rooms() -> list[str]:
    return ["senno", *(m.name for m in pkgutil.walk_packages(senno.__path__, "senno.") if m.ispkg)]


@pytest.mark.parametrize("room", _rooms())
def test_no_module_of_a_room_takes_the_name_of_a_thing_its_door_offers(room):
    door = importlib.import_module(room)
    offered = getattr(door, "__all__", ())
    for module in pkgutil.iter_modules(door.__path__):
        if f"{room}.{module.name}" not in EXTRAS:
            importlib.import_module(f"{room}.{module.name}")
    assert [name for name in offered if isinstance(getattr(door, name), ModuleType)] == []
