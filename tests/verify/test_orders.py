"""The built-in study of orders: each integrator has the slope that theory gives."""

import numpy as np
import pytest

import motiform as mf
from motiform.motion.run.integrators import METHODS, integrators_of
from motiform.studies.files import read_study
from motiform.studies.gallery.free_rotation import rotation_exact

pytest.importorskip("pandas")


@pytest.mark.slow
def test_errors_fall_with_the_order_of_each_integrator(tmp_path):
    found = read_study("orders")
    table = mf.study(found.model, **found.arguments, out=tmp_path / "s", jobs=1).table
    fixed = [name for name in integrators_of("bodies") if not METHODS[name].adaptive]
    assert sorted(table["motion.integrator"].unique()) == sorted(fixed)
    for name, rows in table.groupby("motion.integrator"):
        rows = rows.sort_values("motion.step")
        step, error = rows["motion.step"].to_numpy(), rows["largest error"].to_numpy()
        part = error > 10 * 2.2e-16 * 2.0 / step  # above the roundings of 2 s / h steps
        step, error = step[part], error[part]
        slopes = np.diff(np.log(error)) / np.diff(np.log(step))
        # without loads symplectic Euler is its drift alone, which is symmetric in time: of even order
        order = 2 if name == "symplectic-euler" else METHODS[name].order
        # the next term is h p of the first, p = 4.7 rad/s, and errors add as long as they are small
        allowed = 4.7 * step[1:] + error[1:]
        assert (np.abs(slopes - order) <= allowed).all(), (name, slopes)
        assert (allowed < 0.1).sum() >= 2, name


def test_the_closed_form_obeys_eulers_equations():
    inertia, t, h = np.array([0.5, 1.9, 2.3]), np.linspace(0.0, 3.0, 7), 1e-5
    w = rotation_exact(inertia.tolist(), [2.0, 0.0, 5.0], t)
    rate = (
        rotation_exact(inertia.tolist(), [2.0, 0.0, 5.0], t + h) - rotation_exact(inertia.tolist(), [2, 0, 5], t - h)
    ) / (2 * h)
    # differences of second order: h² ω''' / 6 ≈ h² |ω|⁴ / 6 = 1e-8; roundings 1e-16 |ω| / h = 1e-10
    np.testing.assert_allclose(inertia * rate, np.cross(inertia * w, w), atol=1e-7)
