"""Cash and Karp's adaptive method."""

import numpy as np

from motiform.motion.run.integrators.method import LINEAR, Method, tableau

__all__ = ["CASH_KARP", "METHOD"]

_CK5 = np.array([37 / 378, 0, 250 / 621, 125 / 594, 0, 512 / 1771])
_CK4 = np.array([2825 / 27648, 0, 18575 / 48384, 13525 / 55296, 277 / 14336, 1 / 4])
CASH_KARP = tableau(  # [CashKarp90]
    "cash-karp",
    5,
    [
        [1 / 5],
        [3 / 40, 9 / 40],
        [3 / 10, -9 / 10, 6 / 5],
        [-11 / 54, 5 / 2, -70 / 27, 35 / 27],
        [1631 / 55296, 175 / 512, 575 / 13824, 44275 / 110592, 253 / 4096],
    ],
    _CK5.tolist(),
    norm="largest",  # [Perez94, Dynamics]
    error=(_CK5 - _CK4).tolist(),
)

METHOD = Method(
    "cash-karp",
    5,
    adaptive=True,
    conserves=LINEAR | {"orthogonality"},
    models=("bodies", "figure"),
    text="adaptive 5(4), step from the error of each number",
    tableau=CASH_KARP,
)
