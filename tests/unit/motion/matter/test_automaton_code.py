"""What automata compile to: against an interpreter of the same words, and from both ends of a pair."""

import os
import subprocess
import sys

import numpy as np
import pytest

from motiform.base.kernels import get_device
from motiform.motion.matter import presets
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.automaton_code import source, written
from motiform.motion.matter.laws.automaton_law import begin_meter

# Every part of the language: several transitions of a state, memory that others need, age, dt, all functions.
RICH = """
parameters k, z=0.5, limit=0.3, wait=4, soft=k/3
memory rest = start, worn = 0, peak = -limit
state firm: k * exp(-worn / 40), z, rest
state weak: soft * min(1, 2 / (1 + worn)), z / 2, rest + 0.01 * sign(peak)
state loose: free
firm -> loose when abs(d - rest) > 3 * limit and age >= wait
firm -> weak when force > k * limit or not speed < 60: worn = worn + 1; peak = max(peak, force, 0); rest = d - worn / 30
firm -> firm when age == 25: rest = rest + 0.05 * speed * dt
weak -> firm when -limit < d - rest <= limit ** 2 and age > wait / 2: worn = worn + 0.5
weak -> loose when sqrt(abs(force)) > 4
loose -> weak when age > wait: rest = (rest + d) / 2; peak = peak ** 3 / (1 + peak ** 2) + 2 ** -worn
"""


def number(tree, names):
    """The value of a tree, operation by operation, in numpy's double precision."""
    if isinstance(tree, str):
        return names[tree]
    if not isinstance(tree, tuple):
        return np.float64(tree)
    op, *parts = tree
    if op == "and":
        return all(number(part, names) for part in parts)
    if op == "or":
        return any(number(part, names) for part in parts)
    a, *more = (number(part, names) for part in parts)
    b = more[0] if more else None
    if op == "**":
        if parts[1] == int(parts[1] if isinstance(parts[1], float) else 0.5):
            return np.prod([a] * int(parts[1]))
        return a**b
    return {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "negative": lambda: -a,
        "<": lambda: a < b, "<=": lambda: a <= b, ">": lambda: a > b, ">=": lambda: a >= b, "==": lambda: a == b,
        "!=": lambda: a != b, "not": lambda: not a, "min": lambda: min(a, *more), "max": lambda: max(a, *more),
        "abs": lambda: abs(a), "sqrt": lambda: np.sqrt(a), "exp": lambda: np.exp(a), "sign": lambda: np.sign(a),
    }[op]()  # fmt: skip


def interpreted(law, path, dt):
    """The oracle: tension, state and memory of a link along a path, as the language says; and what fired."""
    automaton = law.automaton
    start = np.float64(path[0])
    names = dict(zip(automaton.parameters, law.rows(1, np.array([start]))[0], strict=True))
    names |= {name: number(tree, names | {"start": start}) for name, tree in automaton.memory.items()}
    names |= {"age": np.float64(0.0), "dt": np.float64(1.0) / (np.float64(1.0) / dt)}
    state, last, found, used = automaton.states[0], start, [], set()

    def tension():
        if state.stiffness == 0.0 and state.damping == 0.0:
            return np.float64(0.0)
        k, z, rest = (number(tree, names) for tree in (state.stiffness, state.damping, state.rest))
        return k * (names["d"] - rest) + z * names["speed"]

    for d in path:
        names |= {"d": d, "speed": (d - last) * (np.float64(1.0) / dt)}
        last = names["d"]
        names["force"], fired = tension(), False
        for n, one in enumerate(automaton.transitions):
            if automaton.states[one.source] is state and number(one.when, names):
                for name, tree in one.actions:
                    names[name] = number(tree, names)
                state, fired = automaton.states[one.target], True
                names["force"] = tension()
                used.add(n)
                break
        names["age"] = np.float64(1.0) if fired else names["age"] + 1.0
        found.append((names["force"], automaton.states.index(state), *(names[m] for m in automaton.memory)))
    return np.array(found), used


def swinging(seed, samples=4000):
    """Twenty swings about 1 m that grow, with noise."""
    n, rng = np.arange(samples), np.random.default_rng(seed)
    return 1.0 + (0.2 + 1.5 * n / samples) * np.sin(2 * np.pi * n / 200) + 0.01 * rng.normal(size=samples)


LAWS = {
    "rich": Automaton("rich", RICH).law(k=90.0),
    "dry friction": presets.dry_friction(1000.0 / 3, 30.0, damping=0.1),
    "plasticity": presets.plasticity(100.0, 7.0, hardening=20.0, ductility=0.6, damping=0.3),
    "rupture": presets.rupture(50.0, length=1.8, strength=35.0, damping=0.2),
    "healing": presets.healing(50.0, 1.4, 1.1),
    "healing anew": presets.healing(50.0, 1.4, 1.1, new_rest=True),
    "fatigue": presets.fatigue(30.0, 0.2, 12, weakening=0.7),
    "bridge": presets.capillary_bridge(200.0, 40.0, 0.9, 1.2, damping=0.4),
}


@pytest.mark.parametrize("name", LAWS)
def test_compiled_equals_interpreted(name):
    """To the bit: neither side rearranges. exp and ** may differ by roundings of the libraries, which "rich" has."""
    law, dt, visited, used = LAWS[name], 1 / 1050, set(), set()
    for seed in range(3):
        path = swinging(seed)
        with np.errstate(all="ignore"):
            expected, fired = interpreted(law, path, dt)
        used |= fired
        found = law.respond(path, dt)
        visited |= set(found.visited)
        got = np.column_stack([found.tension, found.state, *found.memory.values()])
        if name == "rich":
            np.testing.assert_array_equal(got[:, 1], expected[:, 1])
            np.testing.assert_allclose(got, expected, rtol=1e-9)  # roundings accumulate in the memory
        else:
            np.testing.assert_array_equal(got, expected)
    assert visited == {state.name for state in law.automaton.states}  # else the path tells nothing
    assert name != "rich" or used == set(range(len(law.automaton.transitions)))


@pytest.mark.parametrize("name", ["rich", "plasticity"])
def test_links_do_what_single_links_do(name):
    """Links between points, along their line and along an axis: as each alone along its own path of distances."""
    law, rng, count, samples = LAWS[name], np.random.default_rng(3), 100, 60
    ends, others = rng.integers(0, 20, count), rng.integers(20, 40, count)
    axis = rng.integers(-1, 3, count)
    x = rng.normal(size=(3, 40))
    distance = np.linalg.norm(x[:, others] - x[:, ends], axis=0)
    signed = (x[:, others] - x[:, ends])[axis, np.arange(count)]
    start = np.where(axis < 0, distance, signed)
    table = law.rows(count, start)
    length, state, memory = start.copy(), np.zeros(count, np.int32), law.begin(count, start)
    material, pull, first, meter = np.arange(count), np.full(count + 7, np.nan), 5, begin_meter(start)
    moved = [x]
    for _ in range(samples - 1):
        moved.append(moved[-1] + 0.05 * rng.normal(size=x.shape))
    tensions, paths = np.zeros((samples, count)), np.zeros((samples, count))
    for n, here in enumerate(moved):
        get_device("cpu").launch(
            law.automaton.links_kernel, count, here, ends, others, axis, material, table, 1050.0, length,
            state, memory, meter, pull, first,
        )  # fmt: skip
        tensions[n], paths[n] = pull[first : first + count] * np.where(axis < 0, length, 1.0), length
    assert np.isnan(pull[:first]).all()
    assert np.isnan(pull[first + count :]).all()
    for l in range(count):
        alone = law.respond(paths[:, l], 1 / 1050, start=start[l])
        np.testing.assert_allclose(tensions[:, l], alone.tension, rtol=4e-16)  # t/d times d: two roundings
        assert state[l] == alone.state[-1]
        np.testing.assert_array_equal(memory[:-1, l], [alone.memory[m][-1] for m in law.automaton.memory])


def test_points_in_one_place_pull_at_nothing():
    law = presets.rupture(50.0, rest=1.0, length=2.0)
    x, one = np.zeros((3, 2)), np.zeros(1, np.int64)
    table, length, state, memory = law.rows(1), np.zeros(1), np.zeros(1, np.int32), np.zeros((1, 1))
    pull, meter = np.full(1, np.nan), begin_meter(length)
    kernel = law.automaton.links_kernel
    get_device("cpu").launch(
        kernel, 1, x, one, one + 1, one - 1, one, table, 1050.0, length, state, memory, meter, pull, 0
    )
    assert pull[0] == 0.0
    assert memory[0, 0] == 1.0  # its age


class Pairs:
    """Grains that all know all others, and what their pairs remember."""

    def __init__(self, law, count, seed, cutoff):
        self.law, self.count, self.cutoff = law, count, cutoff
        rng = np.random.default_rng(seed)
        self.order, self.radius = rng.permutation(count), rng.uniform(0.05, 0.1, count)
        self.neighbours = np.array([[j for j in range(count) if j != i] for i in range(count)]).T.copy()
        self.found = np.full(count, count - 1)
        self.memory = np.zeros((law.automaton.planes, count - 1, count))

    def forces(self, places, strides, width=3):
        forces = np.zeros((3, self.count))
        get_device("cpu").launch(
            self.law.automaton.reach_kernel, -(-self.count // width), width, places, strides,
            self.neighbours, self.found, self.order, self.radius, self.law.rows(1), 1050.0, self.cutoff, self.memory,
            forces,
        )  # fmt: skip
        return forces[:, self.order]


BRIDGE = presets.capillary_bridge(200.0, 40.0, 0.02, 0.3, damping=0.4)


@pytest.mark.parametrize("law", [Automaton("rich", RICH).law(k=90.0), BRIDGE], ids=["rich", "bridge"])
def test_both_ends_of_a_pair_are_opposite_to_the_bit(law):
    rng, pairs = np.random.default_rng(5), Pairs(law, 2, 1, 0.4)
    places, pulled = np.array([[0.0, 0.3], [0.0, 0.1], [0.0, 0.2]]), 0
    for _ in range(500):
        strides = 0.02 * rng.normal(size=(3, 2))
        places = 0.9 * places + strides  # they meet and part again and again
        forces = pairs.forces(places, strides)
        np.testing.assert_array_equal(forces[:, 0], -forces[:, 1])
        np.testing.assert_array_equal(pairs.memory[:, :, 0], pairs.memory[:, :, 1])
        pulled += np.any(forces != 0)
    assert pulled > 10


def test_pairs_are_links_of_their_gap_and_forget_when_far():
    """Two grains on a line: the law of d − r − r, which begins anew after the pair was beyond `cutoff`."""
    law, cutoff = presets.plasticity(100.0, 4.0, rest=0.0), 0.5
    pairs = Pairs(law, 2, 1, cutoff)
    gap = np.concatenate([np.linspace(0.1, -0.1, 40), np.linspace(-0.1, 0.7, 40), np.linspace(0.7, 0.0, 40)])
    inside, apart = gap < cutoff, pairs.radius.sum()
    first, again = np.flatnonzero(~inside)[[0, -1]]
    expected = np.zeros(len(gap))
    expected[:first] = law.respond(gap[:first]).tension
    expected[again + 1 :] = law.respond(gap[again + 1 :]).tension
    got, before = [], gap[0] + apart
    for d in gap + apart:
        places = np.array([[0.0, d], [0.0, 0.0], [0.0, 0.0]])
        strides = np.array([[0.0, d - before], [0.0, 0.0], [0.0, 0.0]])
        got.append(pairs.forces(places, strides)[0, 0])
        before = d
        assert (pairs.memory[0, 0, 0] == 0.0) == (d - apart >= cutoff)
    # the gap is rounded when the radii are added and taken off again, and stiffness amplifies it
    np.testing.assert_allclose(got, expected, atol=100.0 * 8 * np.finfo(float).eps)
    assert np.abs(expected[again + 1 :]).max() == pytest.approx(4.0)


def test_many_grains_and_any_width():
    rng = np.random.default_rng(8)
    places, strides = rng.normal(size=(3, 30)) * 0.3, 1e-3 * rng.normal(size=(3, 30))
    one, other = Pairs(BRIDGE, 30, 2, 0.3), Pairs(BRIDGE, 30, 2, 0.3)
    forces = one.forces(places, strides, 1)
    np.testing.assert_array_equal(forces, other.forces(places, strides, 30))
    assert np.abs(forces).max() > 1.0
    assert np.abs(forces.sum(1)).max() < 1e-12 * np.abs(forces).sum()  # sums of opposite numbers in different orders


def test_names_of_users_do_not_meet_those_of_the_code():
    text = "parameters table, row, i, math, law, yield\nmemory kernel = start\nstate fired: table, row, kernel\n"
    text += "fired -> fired when force > i * yield: kernel = d + math * law"
    law = Automaton("clash", text).law(table=2.0, row=0.0, i=1.0, math=1.0, law=0.5, **{"yield": 3.0})
    assert law.respond([1.0, 2.0, 3.0]).tension.tolist() == [0.0, 2.0, -1.0]


CHILD = """
from motiform.motion.matter import presets
from motiform.motion.matter.laws.automaton_code import written
law = presets.rupture(10.0, rest=1.0, length=2.0)
print(law.respond([1.0, 1.5, 3.0]).tension.tolist(), written(law.automaton).automaton_paths.cpu.stats.cache_hits)
"""


def child(folder):
    env = {**os.environ, "MOTIFORM_CACHE": str(folder)}
    run = subprocess.run([sys.executable, "-c", CHILD], env=env, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.slow
def test_machine_code_is_kept_and_a_spoilt_or_missing_folder_does_no_harm(tmp_path):
    assert child(tmp_path) == "[0.0, 5.0, 0.0] Counter()"
    assert child(tmp_path).startswith("[0.0, 5.0, 0.0] Counter({(")
    (kept,) = (tmp_path / "laws").iterdir()
    before = kept.read_bytes()
    kept.write_bytes(b"\xff raise SystemExit")
    assert child(tmp_path).startswith("[0.0, 5.0, 0.0]")
    assert kept.read_bytes() == before
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    assert child(nowhere) == "[0.0, 5.0, 0.0] Counter()"


def test_same_law_same_code():
    first, second = Automaton("a", presets.RUPTURE), Automaton("b", presets.RUPTURE + "# the same\n")
    assert source(first) == source(second)
    assert written(first) is written(second)
