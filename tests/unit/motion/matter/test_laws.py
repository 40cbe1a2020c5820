"""The register of laws: every law by its name, with units, and what is refused."""

import inspect

import pytest

from motiform.base.errors import InputError
from motiform.motion.matter import LAWS, Zone, law, law_parameters, links, presets
from motiform.motion.matter.laws.register import PARAMETERS


def test_a_law_by_name_is_the_one_of_its_function():
    assert law("spring", stiffness=3.0, damping=0.1) == links.spring(3.0, damping=0.1)
    assert law("zones", zones=[Zone(1.0, until=2.0), Zone()]) == links.zones(Zone(1.0, until=2.0), Zone())
    named = law("rupture", stiffness=3.0, length=2.0)
    assert named.automaton == presets.rupture(3.0, length=2.0).automaton
    text = "parameters k\nstate on: k, 0, 1"
    own = law("automaton", text=text, values={"k": 2.0}, name="mine")
    assert (own.name, float(own.values["k"])) == ("mine", 2.0)


def test_every_parameter_has_a_unit():
    taken = {key for name in LAWS if name not in ("zones", "automaton") for key in law_parameters(name)}
    assert taken == set(PARAMETERS)
    for name, make in LAWS.items():
        assert all(p.kind is not inspect.Parameter.VAR_KEYWORD for p in law_parameters(name).values()), make


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("sprng", {}, "no such law .got 'sprng'.*Did you mean 'spring'"),
        ("spring", {"threshold": 1.0}, "law 'spring': no such parameter .got 'threshold'; allowed: stiffness"),
        ("spring", {}, "law 'spring': stiffness must be given"),
        ("elastic_buffer", {}, "stiffness and threshold must be given"),
        ("cohesion", {"stiffness": [1.0, 2.0]}, "one number for all links .got 'stiffness'"),
    ],
)  # fmt: skip
def test_what_is_refused(name, values, text):
    with pytest.raises(InputError, match=text):
        law(name, **values)
