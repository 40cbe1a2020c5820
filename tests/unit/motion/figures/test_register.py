"""Ready figures by name, and several of them in one."""

import numpy as np
import pytest

from motiform import FigureBuilder
from motiform.base.errors import InputError
from motiform.motion.figures import FIGURES, ready_figure
from motiform.motion.tree import tag_positions


@pytest.mark.parametrize("name", FIGURES)
def test_the_register_knows_its_figures(name):
    figure = ready_figure(name, name="one")
    assert figure.name == "one"
    assert figure.names == FIGURES[name].segments
    assert dict(figure.contact_solids) == dict(FIGURES[name].contact_solids)


def test_figures_in_one_keep_their_order():
    b = FigureBuilder()
    parts = {"a.": ready_figure("human36"), "b.": ready_figure("bip")}
    for prefix, figure in parts.items():
        b.add(figure, prefix)
    both = b.build()
    q = np.concatenate([0.1 * np.sin(np.arange(figure.nq)) for figure in parts.values()])
    found, first = tag_positions(both, q), 0
    names = [name for prefix, figure in parts.items() for name in (prefix + one for one in figure.coordinates)]
    assert list(both.coordinates) == names
    for figure in parts.values():
        own = tag_positions(figure, 0.1 * np.sin(np.arange(figure.nq)))
        np.testing.assert_allclose(found[first : first + len(own)], own, atol=1e-14)
        first += len(own)


def test_what_is_refused():
    with pytest.raises(InputError, match="Did you mean 'kondo'"):
        ready_figure("kondoo")
    with pytest.raises(InputError, match=r"kondo has no such parameter \(got 'sex'"):
        ready_figure("kondo", sex="male")
