"""The language of automata: what is read, and what is refused with which words."""

import math
import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motiform.base.errors import InputError
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.expressions import bounds, evaluate, names_in, read_expression

GOOD = """
parameters stiffness, damping=0, limit, yield   # N/m, N s/m, m, N
memory rest = start
memory worn = 0
state whole: stiffness, damping, rest
state broken final: free
whole -> broken when d > limit
whole -> whole when force > yield: rest = d - yield / stiffness; worn = worn + 1
reach 2 * limit
"""


def values(**more):
    return {"stiffness": 100.0, "limit": 2.0, "yield": 10.0} | more


def test_parts_of_a_text():
    made = Automaton("plastic", GOOD)
    assert list(made.parameters) == ["stiffness", "damping", "limit", "yield"]
    assert made.parameters["damping"] == 0.0
    assert made.parameters["limit"] is None
    assert list(made.memory) == ["rest", "worn"]
    assert [s.name for s in made.states] == ["whole", "broken"]
    assert [s.final for s in made.states] == [False, True]
    assert [(t.source, t.target, len(t.actions)) for t in made.transitions] == [(0, 1, 0), (0, 0, 2)]
    assert pickle.loads(pickle.dumps(made)) == made


def test_law_rows_begin_and_limits():
    law = Automaton("plastic", GOOD).law(**values(damping=[1.0, 2.0]))
    start = np.array([0.5, 0.7])
    rows = law.rows(2, start)
    np.testing.assert_array_equal(rows, [[100.0, 1.0, 2.0, 10.0], [100.0, 2.0, 2.0, 10.0]])
    np.testing.assert_array_equal(law.begin(2, start), [start, [0, 0], [0, 0]])
    assert law.cutoff == 4.0
    k, z = law.strongest()
    assert k.max() == 100.0
    np.testing.assert_array_equal(z, [1.0, 2.0])
    np.testing.assert_array_equal(law.taken(np.array([1])).rows(1, start[:1]), rows[1:])


def test_default_of_a_parameter_may_depend_on_others_and_on_the_start():
    made = Automaton("a", "parameters k, z = k / 100, rest = start\nstate s: k, z, rest")
    np.testing.assert_array_equal(made.law(k=50.0).rows(2, np.array([1.0, 3.0])), [[50, 0.5, 1.0], [50, 0.5, 3.0]])
    np.testing.assert_array_equal(made.law(k=50.0, rest=None, z=0).rows(1, np.array([1.0])), [[50, 0.0, 1.0]])
    with pytest.raises(InputError, match="Give rest"):
        made.law(k=50.0).rows(1)


def edited(old, new):
    assert old in GOOD
    return GOOD.replace(old, new)


REFUSED = [
    ("", "an automaton must have states"),
    ("state a: 1, 2", r"line 1: a state has three numbers \(got '1, 2'"),
    ("state a: 1, 2, 3\nstat b: free", r"line 2: line cannot be read \(got 'stat b: free'.*Did you mean 'state'"),
    ("state a b: free", "line 1: state cannot be read"),
    ("state 2a: free", "line 1: the name must begin"),
    ("parameters d\nstate a: d, 0, 0", "line 1: this name has a meaning of its own"),
    ("state a: free\nstate a: free", r"line 2: name is given twice \(got 'a'\). It is already in line 1"),
    (edited("memory worn = 0", "memory worn"), "line 4: memory must have a value"),
    (edited("memory worn = 0", "memory worn = d"), r"line 4: unknown name 'd' .*allowed: stiffness.* start here"),
    (edited("d > limit", "d > limits"), r"line 7: unknown name 'limits'.*Did you mean 'limit'\?"),
    (edited("-> broken", "-> broke"), r"line 7: unknown state \(got 'broke'.*Did you mean 'broken'"),
    (edited(" when d > limit", ""), "line 7: transition cannot be read"),
    (edited("d > limit", "d"), "line 7: a condition is needed here"),
    (edited("damping, rest", "damping, rest > 1"), "line 5: a number is needed here"),
    (edited("damping, rest", "damping, d"), "line 5: unknown name 'd'"),
    (edited("damping, rest", "damping, start"), "line 5: unknown name 'start'"),
    (edited("rest = d -", "limit = d -"), r"line 8: only memory can be changed \(got 'limit'; allowed: rest, worn\)"),
    (edited("worn = worn + 1", "worn += 1"), r"line 8: action cannot be read \(got 'worn \+= 1'"),
    (edited("worn = worn + 1", "rest = d"), r"line 4: memory is changed nowhere \(got 'worn'"),
    (edited("/ stiffness", "/ 0"), "line 8: an expression must not divide by zero"),
    (edited("broken final:", "broken:"), "line 6: state has no exit .got 'broken'"),
    (edited("whole -> broken when d > limit\n", ""), "line 6: state is never reached"),
    (edited("reach 2", "broken -> whole when d < 1\nreach 2"), "line 6: a final state has no transitions"),
    (edited("reach 2", "whole -> whole when d > limit\nreach 2"), "line 9: transition never fires"),
    (edited("reach 2", "reach 1\nreach 2"), "line 10: reach is given twice"),
    (edited("damping=0", "damping=0, idle"), "line 2: parameter is used nowhere"),
    ("state a: " + "1+" * 300 + "1, 0, 0", "line 1: line is too long"),
    ("state a: " + "(-" * 110 + "1" + ")" * 110 + ", 0, 0", "line 1: expression is nested too deeply"),
    ("#" * 20_000, "an automaton must be a text of limited length"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        Automaton("plastic", text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"limit": None}, r"parameters are missing.*Give limit\."),
        ({"limits": 1.0}, r"unknown parameter 'limits'.*Did you mean 'limit'"),
        ({"damping": -1.0}, r"damping of state 'whole' is below zero.*0 or more"),
        ({"stiffness": 0.0}, r"divides by zero \(got 'stiffness = 0.0'"),
        ({"stiffness": np.inf}, "stiffness of state 'whole' is not finite"),
        ({"limit": "wide"}, "limit must be a number"),
        ({"limit": [[1.0]]}, "one number, or one for each link"),
        ({"strongest": 3.0}, r"strongest .*allowed: \(stiffness, damping\)"),
        ({"strongest": (1.0, np.inf)}, "strongest"),
    ],
)
def test_wrong_numbers_of_a_law(given, message):
    with pytest.raises(InputError, match=message):
        Automaton("plastic", GOOD).law(**values(**given))


def test_as_many_numbers_as_links():
    with pytest.raises(InputError, match="2 numbers for 3 links"):
        Automaton("plastic", GOOD).law(**values(limit=[1.0, 2.0])).rows(3, np.ones(3))


@pytest.mark.parametrize("path", [[], [[1.0]], [1.0, np.nan]])
def test_wrong_paths(path):
    with pytest.raises(InputError, match="distances"):
        Automaton("plastic", GOOD).law(**values()).respond(path)


def test_stiffness_that_memory_bounds():
    """Loads only lower it; where it grows without bounds, the user must tell."""
    text = """
    parameters k, life
    memory worn = 0
    state s: {}, 0, 0
    s -> s when d > 1: worn = worn + 1
    """
    made = Automaton("tired", text.format("k * max(0, 1 - worn / life)"))
    k, _ = made.law(k=[10.0, 20.0], life=5).strongest()
    np.testing.assert_array_equal(k, [10.0, 20.0])
    growing = Automaton("growing", text.format("k * (1 + worn / life)"))
    with pytest.raises(InputError, match=r"largest stiffness is not known.*Give strongest="):
        growing.law(k=1.0, life=5).strongest()
    assert growing.law(k=1.0, life=5, strongest=(8.0, 0.0)).strongest() == (8.0, 0.0)


OUTSIDE = [
    "__import__('os')", "a.b", "a[0]", "lambda: 1", "[a]", "{a}", "(a, b)", "a if b > 1 else 2", "'a'", "f'{a}'",
    "a := 1", "a @ b", "a // b", "a % b", "a & b", "a | b", "~a", "a << 1", "a is b", "a in b", "yield a", "await a",
    "*a", "True", "None", "1j", "1if a else 2", "1or 2", "0x10", "1_000", "a(1)", "open(a)", "min(a)", "abs(a, b)",
    "sqrt()", "min", "max(a, b=1)", "1e999", "a > b", "a and b", "not a", "a < b < 1", "(a > b) * 2", "a\n+ b)", "a;b",
    "é", "a b", "", "1 2", "a.real", "1 .real", "1..real", "abs(*a)", "(a)(b)", "sin(a)", "...", "a, b",
]  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDE)
def test_nothing_else_is_an_expression(text):
    with pytest.raises(InputError):
        read_expression(text, {"a", "b"})


def test_what_an_expression_may_be():
    tree = read_expression("-a ** 2 + 2 ** -b / max(a, 1, 3.5e-1) - .5 * abs(sign(-b)) + sqrt(4) + exp(0)", ["a", "b"])
    assert evaluate(tree, {"a": 3.0, "b": 2.0}) == -9 + 0.25 / 3 - 0.5 + 2 + 1
    assert names_in(tree) == {"a", "b"}
    read_expression("not a < b <= 2 and (a == 1 or b != 2)", ["a", "b"], truth=True)


_LEAVES = st.sampled_from(["a", "b", "2", "0.5", "3e0"])
_TERMS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from("23")).map(lambda t: f"({t[0]}) ** {t[1]}"),
        st.tuples(st.sampled_from(["abs", "-", "sign"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
    ),
    max_leaves=8,
)


@given(_TERMS, st.floats(0.5, 2.0), st.floats(-1.0, 1.0))
def test_expressions_are_those_of_python_and_within_their_bounds(text, a, b):
    tree = read_expression(text, {"a", "b"})
    found = float(evaluate(tree, {"a": a, "b": b}))
    try:
        names = {"a": a, "b": b, "abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0)}
        assert math.isclose(found, float(eval(text, {}, names)), rel_tol=1e-12)  # powers: products instead of pow
    except (ZeroDivisionError, OverflowError):
        return
    low, high = bounds(tree, {"a": (np.asarray(0.5), np.asarray(2.0)), "b": (np.asarray(-1.0), np.asarray(1.0))})
    slack = 1e-9 * (1 + abs(found))  # bounds are rounded like everything
    assert low - slack <= found <= high + slack


@given(st.text(alphabet="ab01.+-*/()<>=!,:;[]{}'\"@%&|~^ \n_xeE#\\", max_size=12))
def test_any_text_is_a_number_or_refused(text):
    """Whatever is read has only the leaves and operators of the language."""
    try:
        tree = read_expression(text, {"a", "b"})
    except InputError:
        return
    assert names_in(tree) <= {"a", "b"}
    assert evaluate(tree, {"a": 1.5, "b": 2.5}).shape == ()


@given(st.text(max_size=60))
def test_any_text_is_an_automaton_or_refused(text):
    with suppress(InputError):
        assert Automaton("any", f"state a: 1, 0, 0\n{text}").states[0].name == "a"
