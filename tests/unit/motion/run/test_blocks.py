"""The lengths of blocks, which follow the clock, change no bit of what is recorded."""

import numpy as np
import pytest

from motiform.base.sums import sum_over
from motiform.motion.run import run_blocks
from motiform.motion.run.kinds import find_kind
from motiform.scene import list_scenes, load_scene
from motiform.scene.simulate import KINDS

QUICK = ("handle", "pendulum")
SAMPLES = 30


def system_of(name):
    built = load_scene(name).build()
    kind = find_kind(KINDS, built.model, built.arguments)
    return kind.system(built.model, kind.options(built.model, built.options), **built.arguments)


def check_blocks(name):
    """Observe the first samples of a scene all at once, in pieces, and one by one."""
    system, states, times = system_of(name), [], []
    for block in run_blocks(system, None):
        count = len(block.states)
        states += list(block.states)
        times += list(np.arange(block.sample - count + 1, block.sample + 1) / system.options.rate)
        if len(states) >= SAMPLES:
            break
    joined = np.array if isinstance(block.states, np.ndarray) else list
    states, times = states[:SAMPLES], times[:SAMPLES]
    whole = system.observe(np.array(times), joined(states))
    for length in (1, 7):
        cuts = range(0, len(states), length)
        parts = [system.observe(np.array(times[k : k + length]), joined(states[k : k + length])) for k in cuts]
        for key, values in whole.items():
            found = np.concatenate([part[key] for part in parts])
            assert found.tobytes() == np.ascontiguousarray(values).tobytes(), f"{name}: {key}, blocks of {length}"


@pytest.mark.parametrize("name", QUICK)
def test_blocks_of_any_length_give_the_same_bits(name):
    check_blocks(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({entry.name for entry in list_scenes()} - set(QUICK)))
def test_blocks_of_any_length_give_the_same_bits_in_every_scene(name):
    check_blocks(name)


@pytest.mark.parametrize("shape", [(1, 40, 3), (50, 40, 3), (50, 0, 3), (3,)])
def test_a_sum_is_taken_one_after_the_other_in_any_layout(shape):
    values = np.random.default_rng(0).normal(size=shape)
    axis = len(shape) // 2
    wanted = np.zeros(np.delete(shape, axis))
    for row in np.moveaxis(values, axis, 0):
        wanted = wanted + row
    for layout in ("C", "F"):
        assert np.array_equal(sum_over(np.array(values, order=layout), axis), wanted)
