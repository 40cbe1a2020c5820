"""Guards: which events are found, when, and what they do. The system is a ball that falls, y = (height, speed)."""

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.motion.run import CASH_KARP, DORMAND_PRINCE, RK4, ExplicitStep, Guard, march

G = 9.81


def fall(t, y, out):
    """Any number of balls: heights first, then speeds."""
    n = len(y) // 2
    out[:n], out[n:] = y[n:], -G


def events(y0, t1, guards, *, rate=fall, tableau=DORMAND_PRINCE, **more):
    stepper = ExplicitStep(tableau, rate, size=len(y0))
    found = []
    for segment in march(stepper, 0.0, np.array(y0, float), t1, guards=guards, **more):
        if segment.fired is not None:
            found.append((segment.t1, tuple(guards[k].name for k in segment.fired.guards)))
    return found


def clock(t, y, out):
    """A state that does nothing, for guards of time alone."""
    out[:] = 0.0


def floor(k=0, **more):
    return Guard(f"floor {k}", lambda t, y: y[k], **more)


@pytest.mark.parametrize("tableau", [DORMAND_PRINCE, CASH_KARP, RK4], ids=lambda tableau: tableau.name)
def test_fall_ends_at_its_closed_form(tableau):
    found = events([1.0, 0.0], 2.0, [floor()], tableau=tableau, step=0.05)
    assert found[0][0] == pytest.approx(np.sqrt(2 / G), abs=1e-12)  # a parabola is exact for all three


@pytest.mark.parametrize(("crossing", "names"), [("down", [1, 3]), ("up", [2, 4]), ("both", [1, 2, 3, 4])])
def test_only_crossings_in_the_guards_sense_count(crossing, names):
    found = events([0.0], 13.0, [Guard("cos", lambda t, y: np.cos(t), crossing)], rate=clock, longest=1.0)
    assert [t for t, _ in found] == pytest.approx([(n - 0.5) * np.pi for n in names], abs=1e-12)


def test_all_guards_at_the_earliest_root_are_reported_together():
    found = events([1.0, 1.0, 2.0, 0.0, 0.0, 0.0], 0.6, [floor(0), floor(1), floor(2)])
    assert [names for _, names in found] == [("floor 0", "floor 1")]


def test_later_guards_of_the_same_step_come_later():
    found = events([2.0, 1.0, 0.0, 0.0], 1.0, [floor(0), floor(1)], step=1.0)
    assert [names for _, names in found] == [("floor 1",), ("floor 0",)]
    assert [t for t, _ in found] == pytest.approx([np.sqrt(2 / G), np.sqrt(4 / G)], abs=1e-12)


def test_guard_that_is_zero_at_the_start_fires_there_only_if_it_is_left_in_its_sense():
    ground = Guard("ground", lambda t, y: y[0], "down")
    assert events([0.0, 1.0], 1.0, [ground])[0][0] == pytest.approx(2 / G, abs=1e-12)  # up and back
    assert events([0.0, -1.0], 1.0, [ground]) == [(0.0, ("ground",))]  # through at once
    assert events([0.0, 0.0], 1.0, [ground]) == [(0.0, ("ground",))]
    assert events([0.0, -1.0], 1.0, [Guard("both", ground.zero)]) == []  # left, not crossed


def test_guard_that_an_event_takes_through_zero_fires_with_it():
    down = Guard("down", lambda t, y: t - 0.25, "up", then=lambda t, y: np.array([-1.0, y[1]]))
    found = events([5.0, 0.0], 1.0, [down, floor()])
    assert found == [(pytest.approx(0.25, abs=1e-12), ("down", "floor 0"))]


def test_unknown_sense_is_refused():
    with pytest.raises(InputError, match="crossing"):
        Guard("a", lambda t, y: 0.0, "Down")


def test_guard_that_dips_and_returns_within_a_step_is_seen():
    """Below zero for a quarter of a step of 1 s, positive at both of its ends."""
    dip = Guard("dip", lambda t, y: (t - 0.5) ** 2 - 0.125**2)
    found = events([0.0], 1.0, [dip], rate=clock, step=1.0, longest=1.0)
    assert [t for t, _ in found] == pytest.approx([0.375, 0.625], abs=1e-12)


def bounce(e, k=0, n=1):
    def turned(t, y):
        y = y.copy()
        y[n + k] *= -e
        return y

    return Guard(f"bounce {k}", lambda t, y: y[k], "down", then=turned)


@pytest.mark.parametrize("longest", [np.inf, 0.05])
def test_bouncing_ball_returns_to_its_closed_form(longest):
    """Bounce n comes at t0 (1 + 2 Σ e^k): steps much longer than a bounce must not let the ball through the floor."""
    e, first = 0.8, np.sqrt(2 / G)
    found = events([1.0, 0.0], 3.9, [bounce(e)], longest=longest)
    exact = first * np.cumsum([1] + [2 * e**n for n in range(1, 40)])
    exact = exact[exact < 3.9]
    assert len(exact) == 14
    assert [t for t, _ in found] == pytest.approx(exact.tolist(), abs=1e-10)


def test_two_balls_that_bounce_alike_stay_alike():
    found = events([1.0, 1.0, 0.0, 0.0], 2.0, [bounce(0.8, 0, 2), bounce(0.8, 1, 2)])
    assert len(found) == 3
    assert all(names == ("bounce 0", "bounce 1") for _, names in found)


def test_bounces_without_end_are_an_error_and_not_a_hang():
    """Zeno: the ball comes to rest at √(2h/g)(1 + e)/(1 − e) = 4.0637 s after endlessly many bounces."""
    with pytest.raises(RunError, match=r"events follow one another without end") as caught:
        events([1.0, 0.0], 10.0, [bounce(0.8)])
    assert float(str(caught.value).split("t = ")[1].split(" s")[0]) == pytest.approx(4.063712769, abs=1e-3)


def test_event_that_leaves_the_state_at_the_guard_is_an_error():
    back = Guard("back", lambda t, y: y[0], "down", then=lambda t, y: np.array([5e-7, -1.0]))
    with pytest.raises(RunError, match=r"without end.*move the state off the guard"):
        events([1.0, 0.0], 10.0, [back], longest=0.1)


def test_guard_that_ends_the_run():
    found, stepper = [], ExplicitStep(DORMAND_PRINCE, fall, size=2)
    for segment in march(stepper, 0.0, np.array([1.0, 0.0]), 9.0, guards=[floor(ends=True)]):
        found.append(segment)
    assert found[-1].t1 == pytest.approx(np.sqrt(2 / G), abs=1e-12)
    assert found[-1].end == pytest.approx([0, -np.sqrt(2 * G)], abs=1e-12)


def test_state_before_and_after_the_event_are_both_reported():
    stepper = ExplicitStep(DORMAND_PRINCE, fall, size=2)
    hit = next(s for s in march(stepper, 0.0, np.array([1.0, 0.0]), 1.0, guards=[bounce(0.5)]) if s.fired)
    assert hit.after == pytest.approx(hit.end * (1, -0.5), abs=1e-15)
    assert hit.solution(hit.t1) == pytest.approx(hit.end, abs=1e-15)


def test_guard_that_gives_nan_is_an_error_that_names_it():
    with pytest.raises(RunError, match=r"guard 'odd' at t = .*: a guard returned numbers that are not finite"):
        events([1.0, 0.0], 1.0, [Guard("odd", lambda t, y: np.sqrt(y[0]) if y[0] >= 0 else np.nan)])


def test_run_that_goes_on_from_an_event_does_not_see_it_again():
    stepper = ExplicitStep(DORMAND_PRINCE, fall, size=2)
    hit = next(s for s in march(stepper, 0.0, np.array([1.0, 0.0]), 1.0, guards=[floor()]) if s.fired)
    rest = march(stepper, hit.t1, hit.after, 1.0, guards=[floor()], fired=frozenset(hit.fired.guards))
    assert not any(segment.fired for segment in rest)


# ---- the march -----------------------------------------------------------------------------------


def test_fixed_step_method_needs_a_step():
    with pytest.raises(InputError, match=r"a fixed-step method needs a step \(allowed: a positive number of seconds\)"):
        list(march(ExplicitStep(RK4, fall, size=2), 0.0, np.zeros(2), 1.0))


@pytest.mark.parametrize(("rtol", "atol"), [(0.0, 1e-9), (-1e-3, 0.0), (1e-3, -1.0), (float("nan"), 0.0)])
def test_impossible_tolerances_are_refused(rtol, atol):
    with pytest.raises(InputError, match=r"rtol must be above 0 .*rtol > 0 and atol ≥ 0"):
        ExplicitStep(DORMAND_PRINCE, fall, size=2, rtol=rtol, atol=atol)


def test_state_that_blows_up_is_an_error():
    def blow(t, y, out):
        out[:] = y * y  # y = 1/(1 − t)

    with pytest.raises(RunError, match=r"step is too small|no longer finite"):
        list(march(ExplicitStep(DORMAND_PRINCE, blow, size=1), 0.0, np.ones(1), 2.0))
    with np.errstate(over="ignore"), pytest.raises(RunError, match="no longer finite"):
        list(march(ExplicitStep(RK4, blow, size=1), 0.0, np.ones(1), 2.0, step=0.1))


def test_steps_end_on_landings_and_at_jumps():
    stepper = ExplicitStep(CASH_KARP, fall, size=2)
    ends = [s.t1 for s in march(stepper, 0.0, np.array([1.0, 0.0]), 1.0, landings=4.0, jumps=(0.3, 5.0))]
    assert set(ends) >= {0.25, 0.3, 0.5, 0.75, 1.0}


def test_rate_that_jumps_is_taken_from_its_own_side():
    """ẏ = 1 until 0.3, then −2: exact when no step goes across and the last stage asks before the jump."""

    def kinked(t, y, out):
        out[:] = 1.0 if t < 0.3 else -2.0

    for tableau in (DORMAND_PRINCE, CASH_KARP):
        *_, last = march(ExplicitStep(tableau, kinked, size=1), 0.0, np.zeros(1), 1.0, jumps=(0.3,))
        assert last.end == pytest.approx([0.3 - 2 * 0.7], abs=1e-14)


def test_only_relative_tolerance_takes_a_number_that_stays_zero():
    def decay(t, y, out):
        out[:] = (-y[0], 0.0)

    for tableau in (DORMAND_PRINCE, CASH_KARP):
        *_, last = march(ExplicitStep(tableau, decay, size=2, rtol=1e-9, atol=0.0), 0.0, np.array([1.0, 0.0]), 1.0)
        assert last.end == pytest.approx([np.exp(-1), 0.0], rel=1e-8, abs=0)


def test_dense_output_joins_its_ends():
    for tableau in (DORMAND_PRINCE, CASH_KARP):
        stepper, y = ExplicitStep(tableau, fall, size=2), np.array([1.0, 0.5])
        end = stepper.step(0.25, y, 0.5)
        inside = stepper.solution(0.25, y, end, 0.5)
        assert inside(0.25) == pytest.approx(y, abs=1e-15)
        assert inside(0.75 - 1e-9) == pytest.approx(end, abs=1e-7)
        assert inside(0.5) == pytest.approx([1 + 0.5 * 0.25 - G / 2 * 0.0625, 0.5 - G * 0.25], abs=1e-13)
