"""Sliders for what muscles are told; the scene runs again when one has been moved."""

import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Later", "is_stimulation", "stimulation_label"]

PAUSE = 0.4  # [s] after the last move: a hand that drags a slider moves it many times a second


def is_stimulation(path: str) -> bool:
    """Whether a parameter is an excitation of a muscle or an intensity of pulses, between 0 and 1.

    >>> is_stimulation("figure.a.muscle.b.excitation.values.1"), is_stimulation("figure.a.muscle.b.activation")
    (True, False)
    """
    return ".excitation.values." in path or (".stimulation.train." in path and path.endswith(".intensity"))


def stimulation_label(parameter: Any, values: dict[str, Any]) -> str:
    """Return what stands beside a slider: the muscle, and since when or by which train; `values` by path."""
    words = parameter.path.split(".")
    if "excitation" in words:
        return f"{words[words.index('excitation') - 1]} {parameter.description}"
    muscle = values.get(parameter.path.removesuffix("intensity") + "muscle", "")
    return f"{muscle} pulses {int(words[-2]) + 1}".strip()


class Later:
    """Calls a function once, some time after it was last asked to, in a thread of its own; never two at a time."""

    def __init__(self, action: Callable[[], None], pause: float = PAUSE) -> None:
        self._action, self._pause = action, pause
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """Call it after the pause, unless asked again within it."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._pause, self._call)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Forget what was asked for."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()

    def _call(self) -> None:
        with self._turn:
            self._action()
