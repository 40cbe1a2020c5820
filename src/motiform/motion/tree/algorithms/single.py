"""The compiled functions of one state, each compiled when it is first called.

The arrays that they take first are those of a figure's `single`, its `Workspace`.
"""

from importlib import import_module
from typing import Any

__all__ = ["entries"]

_ENTRIES = {
    "axes": "single.one_axes",
    "motion": "single.one_motion",
    "recursive": "single.one_recursive",
    "composite": "single.one_composite",
    "articulated": "single.one_articulated",
    "rate": "state.one_rate",
    "acted_rate": "state.one_acted_rate",
    "repair": "state.one_repair",
    "contact_force": "state.one_contact_force",
    "contact_responses": "friction.one_contact_responses",
    "friction": "friction.one_friction",
    "configuration_rate": "state.one_configuration_rate",
    "coriolis": "matrix.one_coriolis",
    "centroidal": "matrix.one_centroidal",
    "inverse_derivatives": "derivative.one_inverse",
    "forward_derivatives": "derivative.one_forward",
}


class _Entries:
    def __getattr__(self, name: str) -> Any:
        if name not in _ENTRIES:
            raise AttributeError(name)
        module, entry = _ENTRIES[name].split(".")
        function = getattr(import_module(f"motiform.motion.tree.kernels.{module}"), entry).function
        setattr(self, name, function)
        return function


entries = _Entries()
