"""Copies of a figure in one run: each is what it is alone, to the bit."""

import numpy as np
import pytest
from motiform.actuation import SegmentPush, SegmentPushes, posture_control
from motiform.contact import ContactPoint, Contacts, floor

import motiform as mf
from motiform import FigureBuilder, joints
from motiform.base.errors import InputError, RunError
from motiform.base.kernels import threads
from motiform.geometry import Box
from motiform.motion.run import RunOptions
from motiform.motion.stepping.system import ContactSystem
from motiform.scene import FailedCopiesWarning
from tests.models import stop_after, two_links

N = 5


def hopper():
    """A block on a slide with an arm; its corners touch a floor."""
    b, block = FigureBuilder(), Box((0.4, 0.2, 0.3))
    b.segment("block", None, joints.free(), mass=3.0, inertia=block.mass_properties(mass=3.0).inertia)
    arm = Box((0.1, 0.5, 0.1)).mass_properties(mass=0.7).inertia
    b.segment("arm", "block", joints.revolute((0, 0, 1)), mass=0.7, com=(0, 0.25, 0), inertia=arm)
    figure = b.build()
    corners = [(x, -0.1, z) for x in (-0.2, 0.2) for z in (-0.15, 0.15)]
    points = [ContactPoint(f"p{k}", "block", corner, friction=0.5) for k, corner in enumerate(corners)]
    return figure, Contacts(points, floor())


def starts(figure):
    rng = np.random.default_rng(5)
    q = np.tile(figure.neutral(), (N, 1))
    q[:, 1] += 0.11 + 0.05 * rng.random(N)
    return q, rng.normal(0, 0.5, (N, figure.nv))


def equal(one, other):
    assert one.names == other.names
    for name in one.names:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert one.events == other.events


def test_each_copy_has_the_bits_of_a_run_of_its_own():
    figure, contacts = hopper()
    q, v = starts(figure)
    friction, masses = np.linspace(0.1, 0.9, N), np.tile([3.0, 0.7], (N, 1)) * np.linspace(0.5, 2, N)[:, None]
    stiffness, damping = np.linspace(0, 40, N), np.linspace(0.5, 2, N)
    held = posture_control(figure, figure.neutral(), stiffness=10.0, damping=1.0)
    pushes = [SegmentPushes(figure, [SegmentPush("arm", (10.0 * k, 0, 3), start=0.1, until=0.15)]) for k in range(N)]
    common = {"t1": 0.4, "rate": 50.0}
    with threads(2):
        rec = mf.simulate_many(
            figure, N, q0=q, v0=v, contacts=contacts, controls=held, loads=mf.Each(pushes), friction=friction,
            masses=masses, stiffness=stiffness, damping=damping, **common,
        )  # fmt: skip
    assert rec["q"].shape == (21, N, figure.nq)
    assert rec.channel("q").dims == ("copy", "coordinate")
    for k in range(N):
        points = [ContactPoint(p.name, p.segment, p.point, friction=friction[k]) for p in contacts.points]
        part = masses[k] / [3.0, 0.7]
        own = figure.replace(segments={
            s.name: {"mass": masses[k, n], "inertia": np.asarray(s.inertia) * part[n]}
            for n, s in enumerate(figure.segments)
        })  # fmt: skip
        control = posture_control(figure, figure.neutral(), stiffness=stiffness[k], damping=damping[k])
        one = mf.simulate(
            own, q0=q[k], v0=v[k], contacts=Contacts(points, floor()), controls=control, loads=pushes[k],
            integrator="time-stepping", **common,
        )  # fmt: skip
        equal(mf.take_copy(rec, k), one)
    assert np.ptp(rec["contact.force"][-1], axis=0).max() > 1  # they differ


def test_bits_do_not_depend_on_threads_or_on_what_is_kept():
    figure, contacts = hopper()
    q, v = starts(figure)
    found = []
    for count, record in ((1, None), (2, None), (2, ["v", "q"]), (1, ["energy"])):
        with threads(count):
            found.append(mf.simulate_many(figure, N, q0=q, v0=v, contacts=contacts, t1=0.3, rate=100.0, record=record))
    for name in found[0].names:
        np.testing.assert_array_equal(found[0][name], found[1][name])
    assert found[2].names == ["v", "q"]
    assert found[3].names == ["energy"]
    np.testing.assert_array_equal(found[2]["q"], found[0]["q"])
    np.testing.assert_array_equal(found[3]["energy"], found[0]["energy"])


@pytest.mark.parametrize("integrator", ["rk4", "euler"])
def test_copies_without_contacts(integrator):
    figure = two_links()
    q, v = np.linspace(-1, 1, 2 * N).reshape(N, 2), np.zeros(figure.nv)
    rec = mf.simulate_many(figure, N, q0=q, v0=v, t1=0.2, integrator=integrator)
    for k in range(N):
        equal(mf.take_copy(rec, k), mf.simulate(figure, q0=q[k], t1=0.2, integrator=integrator))


def test_an_interrupted_run_goes_on_to_the_same_bits(tmp_path):
    figure, contacts = hopper()
    q, v = starts(figure)
    given = {"q0": q, "v0": v, "contacts": contacts, "t1": 1.0, "rate": 1000.0}
    whole = mf.simulate_many(figure, N, out=tmp_path / "whole", **given)
    with pytest.raises(KeyboardInterrupt):
        mf.simulate_many(figure, N, out=tmp_path / "part", progress=stop_after(0.3), **given)
    assert not mf.open_recording(tmp_path / "part").complete
    equal(mf.simulate_many(figure, N, out=tmp_path / "part", resume=True, **given), whole)
    equal(mf.simulate_many(figure, N, out=tmp_path / "part", **given), whole)  # it is there already


def exploding(figure):
    """A law that no number follows from after 0.1 s."""

    def control(t, state):
        if t > 0.1:
            raise RunError("the law must have a value", where=f"t = {t:.4g} s")
        return np.zeros(figure.nv)

    return control


def test_a_copy_that_fails_ends_alone(tmp_path):
    figure, contacts = hopper()
    q, v = starts(figure)
    calm = posture_control(figure, figure.neutral(), stiffness=10.0, damping=1.0)
    controls = mf.Each(lambda k: exploding(figure) if k == 2 else calm)
    given = {"q0": q, "v0": v, "contacts": contacts, "t1": 0.4, "rate": 100.0}
    for out in (None, tmp_path / "out"):
        with pytest.warns(FailedCopiesWarning, match=f"1 of {N}"):
            rec = mf.simulate_many(figure, N, controls=controls, out=out, **given)
        assert rec.complete
        assert "copy 2 ended at t = 0.1 s" in str(rec.manifest["notes"])
        assert np.isnan(rec["q"][11:, 2]).all()
        assert np.isfinite(rec["q"][:11]).all()
        assert (rec["contact.mode"][11:, 2] == -1).all()
        fine = [k for k in range(N) if k != 2]
        assert np.isfinite(rec["energy"][:, fine]).all()
        assert len(mf.take_copy(rec, 2)["q"]) == 11
        one = mf.simulate(figure, controls=calm, integrator="time-stepping", **given | {"q0": q[3], "v0": v[3]})
        equal(mf.take_copy(rec, 3), one)
    with pytest.raises(RunError, match="all copies"):
        mf.simulate_many(figure, N, controls=exploding(figure), **given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n must be a number of copies"),
        ({"n": 2.5}, "n must be a number of copies"),
        ({"q0": np.zeros((3, 8))}, "q0 must have a row for each copy"),
        ({"friction": np.ones(3)}, "friction must have a row for each copy"),
        ({"masses": np.ones((N, 3))}, "masses must have a row for each copy"),
        ({"stiffness": np.ones(N)}, "stiffness is of a posture control"),
        ({"contacts": None, "friction": np.ones(N)}, "friction is of contacts"),
        ({"integrator": "dormand-prince"}, "by fixed steps"),
        ({"record": ["q", "speed"]}, "one that all copies have"),
        ({"loads": mf.Each([None])}, "loads must be one for each copy"),
        ({"what": 3}, "only figures"),
        ({"overwrite": True, "resume": True}, "resumed or overwritten"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    figure, contacts = hopper()
    q, v = starts(figure)
    given = {"what": figure, "n": N, "q0": q, "v0": v, "contacts": contacts, "t1": 0.1} | change
    with pytest.raises(InputError, match=message):
        mf.simulate_many(given.pop("what"), given.pop("n"), **given)


def test_a_scene_of_a_figure_has_copies_by_fixed_steps():
    settings = {"scene.duration": 0.05, "motion.integrator": "time-stepping"}
    scene = mf.load_scene("pushed", settings)
    rec, one = mf.simulate_many(scene, 2), mf.simulate(scene)
    np.testing.assert_array_equal(mf.take_copy(rec, 1)["q"], one["q"])
    with pytest.raises(InputError, match="load_scene"):
        mf.simulate_many("pushed", 2)


def test_a_start_that_is_refused_names_its_copy():
    figure, contacts = hopper()
    q, v = starts(figure)
    q[3, 1] = -0.5
    with pytest.raises(InputError, match="copy 3 cannot begin"):
        mf.simulate_many(figure, N, q0=q, v0=v, contacts=contacts, t1=0.1)


def test_only_a_recording_of_copies_has_one():
    figure = two_links()
    rec = mf.simulate(figure, t1=0.1)
    with pytest.raises(InputError, match="copies"):
        mf.take_copy(rec, 0)
    with pytest.raises(InputError, match="no such copy"):
        mf.take_copy(mf.simulate_many(figure, 2, t1=0.1, integrator="rk4"), 2)


def test_channels_that_only_some_copies_have_are_left_out_and_named():
    figure, contacts = hopper()
    q, v = starts(figure)
    loads = mf.Each([None, *(SegmentPushes(figure, [SegmentPush("arm", (k, 0, 0))]) for k in range(1, N))])
    rec = mf.simulate_many(figure, N, q0=q, v0=v, contacts=contacts, loads=loads, t1=0.1)
    assert "push.force" not in rec
    assert "push.force is not recorded" in str(rec.manifest["notes"])
    equal(mf.take_copy(rec, 0), mf.simulate(
        figure, q0=q[0], v0=v[0], contacts=contacts, t1=0.1, integrator="time-stepping"
    ))  # fmt: skip


def test_what_steps_write_is_shared_with_no_other_copy():
    figure, contacts = hopper()
    hold = posture_control(figure, figure.neutral(), stiffness=10.0, damping=1.0)
    options = RunOptions(t1=1.0, integrator="time-stepping")
    steppers = [ContactSystem(figure, options, contacts, controls=hold).begin(None).stepper for _ in range(2)]
    constant = {f"_head.{name}" for name in ("ints", "floats", "cints", "before", "zeros")} | {"_room.point_of"}
    one, other = (
        {
            f"{group}.{name}": array
            for group in ("_head", "_laws", "_room", "_space", "_rest", "_share", "_pair", "_samples")
            for name, array in getattr(stepper, group)._asdict().items()
            if isinstance(array, np.ndarray) and f"{group}.{name}" not in constant
        }
        for stepper in steppers
    )
    assert "_head.work" in one
    assert "_laws.tau" in one
    for name, array in one.items():
        assert not any(np.shares_memory(array, found) for found in other.values()), name
