"""For all tests: one thread for each of several workers, and no announcements of compiling in what they print."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast a busy machine draws examples says nothing of what is tested.
settings.register_profile("motiform", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("motiform")

#: Folders and files of tests that take long: a browser without a graphics card, peers, kills at every step, whole fits.
SLOW = (
    "browser",
    "unit/base/test_compiling.py",
    "unit/bench",
    "unit/geometry/touch",
    "unit/motion/bones/test_wrist.py",
    "unit/motion/run/test_lost_runs.py",
    "unit/record/test_record_killed.py",
    "unit/scene/test_labels.py",
    "unit/studies/engines/test_backend.py",
    "unit/trials/test_c3d_back.py",
    "validate/test_reconstruct_trials.py",
    "verify/bones",
    "verify/coupled/test_matter.py",
    "verify/matter/test_cut_engine.py",
    "verify/test_calibration_recovers.py",
    "verify/test_closure_passage.py",
    "verify/test_contact_closures.py",
    "verify/test_contact_dynamics.py",
    "verify/test_contact_kinematics.py",
    "verify/test_contact_laws.py",
    "verify/test_contact_maximal.py",
    "verify/test_round_events.py",
    "verify/test_session.py",
    "verify/test_solid_contacts.py",
    "verify/test_solid_events.py",
)


def pytest_configure(config):
    sys.path.insert(0, str(Path(__file__).parent))  # tests share modules, such as `runs`
    os.environ.setdefault("MOTIFORM_QUIET", "1")
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]  # models.py, for processes that tests start
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    if os.environ.get("PYTEST_XDIST_WORKER"):
        import numba

        numba.set_num_threads(1)  # the workers share the cores; tests of threads set their number themselves


def pytest_collection_modifyitems(items):
    """Mark the tests of slow folders and files, and those that need a GPU: all of tests/gpu."""
    here = Path(__file__).parent
    slow = {here / name for name in SLOW}
    for item in items:
        if slow & {item.path, *item.path.parents}:
            item.add_marker(pytest.mark.slow)
        if here / "gpu" in item.path.parents:
            from motiform.base.kernels import cuda_device_name

            item.add_marker(pytest.mark.gpu)
            item.add_marker(pytest.mark.skipif(cuda_device_name() is None, reason="no CUDA device"))
