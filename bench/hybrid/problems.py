"""Contact problems of random postures of Human36 as matrices, and our solution."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from bench.agreement import check_same, difference

__all__ = ["Laid", "Problem", "check_solutions", "human", "make_problems", "opened", "ours"]

Array = np.ndarray
_HANDS = {side + "_hand": (side[0] + "_radial_styloid", side[0] + "_dactylion") for side in ("right", "left")}
_ALIKE = 1e-8  # of the largest acceleration
_NOISE = 25.0  # [N·m] of the efforts, on top of those that press all points alike


class Problem(NamedTuple):
    """min ½ aᵀM a + aᵀg subject to C_n a + s_n ≥ 0 and C_t a + s_t = 0; matrices row by row, as ours takes them."""

    M: Array
    g: Array
    Cn: Array
    sn: Array
    Ct: Array
    st: Array


@lru_cache(1)
def human() -> Any:
    """Return the figure of all problems."""
    from motiform.motion.figures import human36

    return human36()


def make_problems(points: int, count: int, seed: int = 4) -> list[Problem]:
    """Return problems of random postures on 8 points, four under each foot, or 12: wrists and fingers on a table, too.

    Velocities are such that nothing slides; efforts press all points alike, and noise opens some of them. The rows are
    redundant: the 24 of two feet have rank 12.
    """
    from motiform.motion.contact import Contacts, contact_rows, floor, points_of_tags
    from motiform.motion.tree import inertia_matrix, nonlinear_effects

    figure = human()
    solids = figure.contact_solids | (_HANDS if points == 12 else {})
    # The rows of a level plane do not depend on its height: a table's are the floor's.
    contacts = Contacts(points_of_tags(figure, solids), (floor(),))
    rng, nv = np.random.default_rng(seed), figure.nv
    floating = [figure.places(name, "v")[0] for name in figure.coordinates if name.startswith("pelvis")]
    found = []
    for _ in range(count):
        q, v = 0.2 * rng.normal(size=nv), 0.3 * rng.normal(size=nv)
        J = contact_rows(figure, contacts, q).jacobian.reshape(-1, nv)
        v -= np.linalg.pinv(J) @ (J @ v)
        rows = contact_rows(figure, contacts, q, v)
        Cn, Ct = rows.jacobian[:, 1], rows.jacobian[:, ::2].reshape(-1, nv)
        h = nonlinear_effects(figure, q, v)
        tau = h - Cn.T @ np.full(points, figure.mass * 9.81 / points) + _NOISE * rng.normal(size=nv)
        tau[floating] = 0.0
        parts = (inertia_matrix(figure, q), h - tau, Cn, rows.bias[:, 1], Ct, rows.bias[:, ::2].ravel())
        found.append(Problem(*(np.array(part, order="C") for part in parts)))
    return found


def opened(problem: Problem) -> int:
    """Return how many points leave."""
    a = ours(problem)
    w, terms = problem.Cn @ a + problem.sn, np.abs(problem.Cn) @ np.abs(a) + np.abs(problem.sn)
    return int((w > 1e-9 * terms).sum())


def ours(problem: Problem) -> Array:
    """Return the accelerations by our public function."""
    from motiform.motion.contact import solve_contacts

    return solve_contacts(*problem, human())[0]


def check_solutions(case: str, solvers: dict[str, Sequence[Array]]) -> None:
    """Refuse to time a peer whose accelerations are not ours."""
    for name, found in solvers.items():
        for mine, other in zip(solvers["ours"], found, strict=True):
            check_same(f"hybrid, {case}, {name}", difference(other, mine), _ALIKE)


class Laid(NamedTuple):
    """A problem the way a peer likes it: min ½ aᵀM a + aᵀg, A a = b, G a ≥ h, matrices column by column."""

    M: Array
    g: Array
    A: Array
    b: Array
    G: Array
    h: Array

    @staticmethod
    def of(problem: Problem) -> "Laid":
        """Return a problem laid out anew."""
        parts = (problem.M, problem.g, problem.Ct, -problem.st, problem.Cn, -problem.sn)
        return Laid(*(np.asfortranarray(part) for part in parts))
