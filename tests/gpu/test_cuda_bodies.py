"""The same kernels on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
import pytest

from motiform.base.kernels import get_device, sum_fixed
from motiform.motion.bodies.steps import get_steps
from motiform.scene import load_scene
from motiform.scene.build.common import build_bodies

STEPS = 20


def advanced(model, method, device_name):
    device, packed = get_device(device_name), model.packed
    constants = [device.array(a) for a in (packed.bodies, packed.environment, packed.load_starts, packed.loads)]
    y, status = device.array(model.initial_state().rows()), device.array(np.zeros((model.count, 2), np.int64))
    history = device.empty((1, model.count, 18))
    kernel = get_steps(method).advance
    device.launch(kernel, model.count, y, history, *constants, 0, 0.04, STEPS, status)
    return device.host(history)[0], device.host(status)


@pytest.mark.parametrize("method", ["euler", "rk4", "symplectic_euler", "lie_midpoint"])
def test_cpu_and_cuda_agree(method):
    """Leaves in the wind: drag, gusts (sin), square roots, Newton's iteration.

    The GPU contracts a·b + c to one rounding and has its own sin: each of the some 500 operations of a step may differ
    by an ulp of its size. 20 steps of 500 roundings add up to 20·500·1.1e-16 = 1.1e-12 of the numbers' size at most.
    """
    model = build_bodies(load_scene("flock"))
    cpu, cpu_status = advanced(model, method, "cpu")
    gpu, gpu_status = advanced(model, method, "cuda")
    assert not cpu_status.any()
    assert not gpu_status.any()
    for columns in (slice(0, 3), slice(3, 12), slice(12, 15), slice(15, 18)):
        size = np.abs(cpu[:, columns]).max(axis=1, keepdims=True)
        assert np.abs(gpu[:, columns] - cpu[:, columns]).max() <= 1.1e-12 * size.max()


def test_sum_is_the_same_bits_on_both():
    """Sums of 256 from left to right have no product to contract: not one bit may differ."""
    values = np.random.default_rng(0).normal(size=1_000_003)
    device = get_device("cuda")
    assert sum_fixed(device.array(values), device) == sum_fixed(values)
