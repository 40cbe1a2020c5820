"""Radau IIA of order 5: the collocation method of three stages for stiff systems.  [Hairer96 IV.8]"""

import numpy as np

from motiform.motion.run.integrators.method import LINEAR, Method, Tableau

__all__ = ["METHOD", "RADAU"]

_S = 6**0.5
_A = np.array([
    [(88 - 7 * _S) / 360, (296 - 169 * _S) / 1800, (-2 + 3 * _S) / 225],
    [(296 + 169 * _S) / 1800, (88 + 7 * _S) / 360, (-2 - 3 * _S) / 225],
    [(16 - _S) / 36, (16 + _S) / 36, 1 / 9],
])  # fmt: skip
RADAU = Tableau("radau", 5, _A, _A[2], np.array([(4 - _S) / 10, (4 + _S) / 10, 1.0]), implicit=True)

METHOD = Method(
    "radau",
    5,
    adaptive=True,
    conserves=LINEAR | {"orthogonality"},
    models=("bodies", "figure", "contacts"),
    text="adaptive, implicit, of order 5, for stiff systems; dense output and located events",
    tableau=RADAU,
)
