"""What importing costs, which names there are, and that nothing compiles until it runs."""

import json
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import motiform

HEAVY = [
    "numba",
    "scipy",
    "zarr",
    "pydantic",
    "pandas",
    "xarray",
    "matplotlib",
    "trimesh",
    "viser",
    "typer",
    "rich",
    "pint",
    "imageio",
    "mujoco",
    "pinocchio",
]


def fresh(script: str) -> object:
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_import_loads_nothing_heavy_and_is_quick():
    """Under 0.3 s of the processor's time: the best of three, because machines are shared."""
    script = (
        "import json, sys, time; start = time.process_time(); import motiform; spent = time.process_time() - start; "
        "print(json.dumps([spent, sorted({name.split('.')[0] for name in sys.modules})]))"
    )
    runs = [fresh(script) for _ in range(3)]
    assert min(spent for spent, _ in runs) < 0.3
    assert not set(HEAVY) & set(runs[0][1])


def test_names_are_listed_without_loading_them():
    names, loaded = fresh(
        "import json, sys, motiform; names = dir(motiform); print(json.dumps([names, sorted(set(sys.modules))]))"
    )
    assert names == sorted(motiform.__all__)
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("name", motiform.__all__)
def test_every_public_name_resolves(name):
    assert getattr(motiform, name) is not None


def test_every_public_module_is_imported_by_its_public_name():
    """`import motiform.X` gives the module that `from motiform import X` does, and so do the modules in it."""
    modules = [name for name in motiform.__all__ if isinstance(getattr(motiform, name), ModuleType)]
    assert {"actuation", "figures", "muscles", "image"} <= set(modules)
    script = f"""
import importlib, json, motiform
same = {{name: importlib.import_module("motiform." + name) is getattr(motiform, name) for name in {modules}}}
import motiform.actuation, motiform.matter.laws.links, motiform.motion.matter.laws.links
from motiform.figures import human36
same["inside"] = motiform.matter.laws.links is motiform.motion.matter.laws.links
same["own name"] = motiform.actuation.__spec__.name == motiform.actuation.__name__ == "motiform.motion.actuation"
print(json.dumps(same))
"""
    assert fresh(script) == dict.fromkeys([*modules, "inside", "own name"], True)


@pytest.mark.parametrize("name", ["motiform.walk", "motiform.actuation.walk", "motiform.simulate"])
def test_what_is_no_module_is_not_imported(name):
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'motiform\."):
        import_module(name)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="module 'motiform' has no attribute 'walk'"):
        motiform.walk


@pytest.mark.slow
def test_importing_every_module_compiles_nothing():
    script = """
import importlib, json, pkgutil
from numba.core import event
import motiform
with event.install_recorder("numba:compile") as seen:
    for module in pkgutil.walk_packages(motiform.__path__, "motiform."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
print(json.dumps(len(seen.buffer)))
"""
    assert fresh(script) == 0
