"""motiform: simulation of rigid bodies, figures and mass–spring networks, from measurement to image.

The package is one chain: measure → motion → form → image. Importing it loads no heavy module; every name below is
imported from its module at first use.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # not typing's, which takes a while to import before the command line watches for Ctrl-C
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__version__ = "0.2.0"

_HOME = {
    "Attachment": "motiform.motion.coupled",
    "Bodies": "motiform.motion.bodies",
    "Body": "motiform.motion.bodies",
    "Each": "motiform.scene",
    "Figure": "motiform.motion.tree",
    "FigureBuilder": "motiform.motion.tree",
    "FigureInMatter": "motiform.motion.coupled",
    "MotiformError": "motiform.base.errors",
    "MotiformWarning": "motiform.base.errors",
    "Network": "motiform.motion.matter",
    "NetworkBuilder": "motiform.motion.matter",
    "Recording": "motiform.record",
    "SegmentSolid": "motiform.motion.coupled",
    "Transform": "motiform.spatial",
    "calibrate": "motiform.motion.postures",
    "centers_of_mass": "motiform.motion.tree",
    "compare": "motiform.record",
    "dress": "motiform.form",
    "export": "motiform.image.export",
    "film": "motiform.image",
    "forward_dynamics": "motiform.motion.tree",
    "gait_events": "motiform.motion.postures",
    "inertia_matrix": "motiform.motion.tree",
    "inverse_dynamics": "motiform.motion.tree",
    "load_scene": "motiform.scene",
    "nonlinear_effects": "motiform.motion.tree",
    "open_recording": "motiform.record",
    "picture": "motiform.image",
    "plot": "motiform.image:plot_channels",
    "read_markers": "motiform.measure",
    "read_mesh": "motiform.geometry",
    "read_mjcf": "motiform.motion.tree.read",
    "read_muscles": "motiform.motion.actuation.muscles",
    "read_osim": "motiform.motion.tree.read",
    "read_robot": "motiform.motion.robots",
    "read_urdf": "motiform.motion.tree.read",
    "read_volume": "motiform.measure",
    "reconstruct": "motiform.trials",
    "resample": "motiform.record",
    "segment_bones": "motiform.measure",
    "simulate": "motiform.scene",
    "simulate_many": "motiform.scene",
    "static_optimization": "motiform.motion.actuation.muscles",
    "study": "motiform.studies",
    "take_copy": "motiform.record",
    "tag_positions": "motiform.motion.tree",
    "tags": "motiform.motion.tree",
    "virtual_markers": "motiform.motion.postures",
}
_PARTS = (
    "base",
    "form",
    "geometry",
    "image",
    "measure",
    "motion",
    "record",
    "scene",
    "spatial",
    "studies",
    "studio",
    "trials",
)

_MODULES = {
    "actuation": "motiform.motion.actuation",
    "contact": "motiform.motion.contact",
    "figures": "motiform.motion.figures",
    "matter": "motiform.motion.matter",
    "joints": "motiform.motion.tree.joints",
    "muscles": "motiform.motion.actuation.muscles",
    "postures": "motiform.motion.postures",
    "robots": "motiform.motion.robots",
    "screens": "motiform.motion.screens",
    "surfaces": "motiform.geometry.surfaces",
    "wrist": "motiform.motion.bones",
}

__all__ = ["__version__", *_HOME, *_PARTS, *_MODULES]


def __getattr__(name: str) -> "Any":
    if name in _HOME:
        module, _, own = _HOME[name].partition(":")
        value = getattr(import_module(module), own or name)
    elif name in _PARTS:
        value = import_module(f"motiform.{name}")
    elif name in _MODULES:
        value = import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'motiform' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Alias:
    """Makes `import motiform.actuation` find motiform.motion.actuation, the same module under its public name."""

    @staticmethod
    def find_spec(name: str, path: "Any" = None, target: "Any" = None) -> ModuleSpec | None:
        own, _, rest = name.removeprefix("motiform.").partition(".")
        if not name.startswith("motiform.") or own not in _MODULES:
            return None
        return ModuleSpec(name, _Alias, origin=".".join(filter(None, (_MODULES[own], rest))))  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> "ModuleType | None":
        return None

    @staticmethod
    def exec_module(module: "ModuleType") -> None:
        assert module.__spec__ is not None
        assert module.__spec__.origin is not None
        sys.modules[module.__name__] = import_module(module.__spec__.origin)  # the import system takes it from there


sys.meta_path.append(_Alias)
