"""Wrists with numbers beyond reason are refused, or told to have diverged: no search goes on for ever."""

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.motion.bones import settle as settling
from motiform.motion.bones.dynamics import Loads
from motiform.motion.bones.wrist import Cartilage
from wrists import carpus


def test_a_hessian_that_is_not_finite_ends_the_search():
    """One of the ligament's numbers is inf: there is no step for any damping."""
    model = carpus()
    packed = model.packed(model.bodies())
    packed.model[-1][:, 6] = np.inf  # stiffness of the fibres, which only a broken wrist has
    goal = settling.Transform.identity()
    targets = settling.Transform(goal.rotation[None], np.array([[0.0, 0.0, 1e-2]]))
    with pytest.raises(RunError, match="has diverged"):
        settling.settle_path(packed, targets)


@pytest.mark.parametrize(
    "changes",
    [
        {"stiffness": np.nan}, {"stiffness": -1.0}, {"stiffness": 1e200}, {"slack": 0.0}, {"slack": np.inf},
        {"toe": -0.1}, {"clearance": 1.0}, {"clearance": 1e200}, {"over": ("lunate", "scaphoid", "radius")},
        {"starts": np.zeros((2, 3))}, {"ends": np.full((4, 3), np.nan)}, {"ends": np.zeros(3)},
    ],
)  # fmt: skip
def test_ligaments_with_impossible_numbers_are_refused(changes):
    model = carpus()
    with pytest.raises(InputError, match=model.ligaments[0].name):
        model.replace_ligament(model.ligaments[0].name, **changes)


@pytest.mark.parametrize(
    "made",
    [
        lambda: Cartilage(thickness=1.0), lambda: Cartilage(thickness=0.0), lambda: Cartilage(stiffness=1e200),
        lambda: Cartilage(stiffness=np.nan), lambda: Cartilage(hardening=1e-100), lambda: Cartilage(hardening="a"),
        lambda: Loads(gravity=(0.0, 1.0)), lambda: Loads(gravity=np.zeros((2, 3))), lambda: Loads(drag=-1.0),
        lambda: Loads(friction=np.nan), lambda: Loads(creep=0.0), lambda: Loads(viscosity=np.inf),
    ],
)  # fmt: skip
def test_cartilage_and_loads_with_impossible_numbers_are_refused(made):
    with pytest.raises(InputError):
        made()


def test_cartilage_may_be_of_constant_stiffness():
    assert Cartilage(hardening=np.inf).hardening == np.inf


def test_a_tolerance_of_a_metre_is_none():
    with pytest.raises(InputError, match="tolerance"):
        carpus().settle(flexion=0.1, tolerance=1.0)


@pytest.mark.parametrize("step", [1e-300, 1e-10])
def test_steps_that_no_run_sees_the_end_of_are_refused(step):
    with pytest.raises(InputError, match="too many steps"):
        carpus().simulate([0.0, 1.0], flexion=[0.0, 0.1], step=step)


@pytest.mark.parametrize("method", ["semi-implicit", "cash-karp"])
def test_a_run_that_is_lost_says_so(method):
    """In a field of 10³⁰ m/s² every bone leaves its place within a step."""
    with pytest.raises(RunError, match=r"t = .*(diverged|vanish)"):
        carpus().simulate([0.0, 1e-2], flexion=[0.0, 0.1], loads=Loads(gravity=(0.0, 0.0, 1e30)), method=method)


def flexed(model, **options):
    """Return a wrist that is bent by 40° in half a second, and held."""
    return model.simulate([0.0, 0.25, 0.5, 1.0], flexion=np.deg2rad([0.0, 20.0, 40.0, 40.0]), **options)


def test_neither_long_steps_nor_light_bones_change_the_rest():
    """Contact that turns a body away makes M + h² K indefinite, and steps that go too far are halved.

    Drag brings all of them to rest in the same place, where the energy does not depend on the way.
    """
    rest = flexed(carpus())["energy"][-1]
    for options in ({"step": 5e-3}, {"step": 5e-3, "density": 30.0}, {"density": 1.0}):
        assert flexed(carpus(), **options)["energy"][-1] == pytest.approx(rest, rel=1e-9)


@pytest.mark.slow
def test_much_friction_holds_and_does_not_shake():
    """Bones that rub come to rest, with more energy than without: friction holds them away from the least."""
    held, smooth = (flexed(carpus(), loads=Loads(drag=50.0, friction=friction)) for friction in (0.5, 0.0))
    assert held["energy.kinetic"][-1] < 1e-8
    assert held["energy"][-1] > smooth["energy"][-1]
