"""Butcher tableaux of the explicit Runge–Kutta methods."""

from dataclasses import dataclass

import numpy as np

__all__ = ["CASH_KARP", "DORMAND_PRINCE", "EULER", "RK4", "Tableau"]


@dataclass(frozen=True)
class Tableau:
    """Coefficients of an explicit Runge–Kutta method.

    Stage s is evaluated at t + c[s] h, y + h Σ_j a[s, j] k_j; the step ends at y + h Σ b[s] k_s; h Σ error[s] k_s
    estimates the error of the step; y + h Σ k_s Σ_p dense[s, p] θ^(p+1) is the solution at t + θ h.
    """

    name: str
    order: int
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray | None = None
    dense: np.ndarray | None = None

    @property
    def stages(self) -> int:
        """Number of evaluations of the rate in a step."""
        return len(self.b)


def _tableau(name: str, order: int, rows: list[list[float]], b: list[float], **more: list) -> Tableau:
    stages = len(b)
    a = np.zeros((stages, stages))
    for s, row in enumerate(rows, start=1):
        a[s, : len(row)] = row
    arrays = {key: np.array(value, float) for key, value in more.items()}
    return Tableau(name, order, a, np.array(b, float), a.sum(axis=1), **arrays)


EULER = _tableau("euler", 1, [], [1])

RK4 = _tableau("rk4", 4, [[1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6])

_CK5 = np.array([37 / 378, 0, 250 / 621, 125 / 594, 0, 512 / 1771])
_CK4 = np.array([2825 / 27648, 0, 18575 / 48384, 13525 / 55296, 277 / 14336, 1 / 4])
CASH_KARP = _tableau(  # [CashKarp90]
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
    error=(_CK5 - _CK4).tolist(),
)

_DP5 = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0]
DORMAND_PRINCE = _tableau(  # [DormandPrince80; Hairer93 II.5, II.6 for the dense output]
    "dormand-prince",
    5,
    [
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        _DP5[:6],
    ],
    _DP5,
    error=[71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40],
    dense=[
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ],
)
