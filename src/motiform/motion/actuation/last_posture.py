"""Functions of the posture alone that are asked for several times in one."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from motiform.motion.tree.model.joint import Array

__all__ = ["LastPosture"]

T = TypeVar("T")


class LastPosture(Generic[T]):
    """A function of q that keeps its last answer, which must not be written to.

    Within a step of time-stepping a figure stands still while its muscles go on; guards look at states that rates have
    seen.
    """

    def __init__(self, function: Callable[[Array], T]) -> None:
        self._function = function
        self._last: tuple[bytes | None, Any] = (None, None)

    def __call__(self, q: Array) -> T:
        """Return function(q)."""
        key = q.tobytes()
        last, found = self._last
        if key != last:
            found = self._function(q)
            self._last = (key, found)
        return found
