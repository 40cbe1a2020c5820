"""Screens step alike on a CPU and on a GPU."""

import numpy as np
import pytest

from motiform.motion.screens import Engraver, Pistons, Screen, ScreenEngine, ScreenLaw

EPS = np.finfo(float).eps


def engraved(shape, edges, **more):
    rng = np.random.default_rng(4)
    points = np.zeros((6, 40, 3))
    points[..., : len(shape)] = 0.1 * rng.uniform(0, 1, (6, 40, len(shape))) * np.array(shape)
    tips = Engraver(name="tips", points=points, rate=20.0, stiffness=3.0, damping=0.05, reach=0.35, height=-0.15)
    law = ScreenLaw(10.0, 0.3, 20.0, 0.1)
    return Screen(shape=shape, spacing=0.1, law=law, mass=0.1, edges=edges, engravers=(tips,), force=0.01, **more)


def screens():
    yield from (engraved(shape, edges) for shape in ((900,), (70, 93), (11, 20, 17)) for edges in ("fixed", "free"))
    yield engraved((40, 31), "free", pistons=Pistons(stiffness=5.0, ground_stiffness=2.0, ground_damping=0.1))
    ball = Engraver(name="ball", points=[[1.0, 1.1, 0]], stiffness=3.0, reach=0.4, height=-0.1, mass=0.3)
    yield Screen(shape=(21, 22), spacing=0.1, mass=0.1, law=ScreenLaw(10.0, 0.3, 20.0, 0.1), engravers=(ball,))


@pytest.mark.parametrize("screen", list(screens()), ids=lambda s: f"{s.shape} {s.edges}")
def test_heights_agree_with_the_cpu(screen):
    cpu, gpu = ScreenEngine(screen), ScreenEngine(screen, "cuda")
    for engine in (cpu, gpu):
        engine.advance(50)
    exact = cpu.heights()
    # fused operations round differently: some 100 roundings a step, which the damped screen does not amplify
    assert np.abs(gpu.heights() - exact).max() < 50 * 100 * EPS * np.abs(exact).max()
    again = ScreenEngine.resume(screen, gpu.checkpoint(), "cuda")
    for engine in (gpu, again):
        engine.advance(7)
    assert (gpu.heights() == again.heights()).all()
