"""What models pass on, against closed forms of cells."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import Band, cell, chain_of_cells, passband

WIDE = Band(1e-2, 1e3)
RATIO = (1e3 / 1e-2) ** (1 / 1999)  # from one frequency to the next


def test_a_damped_cell_passes_what_is_slow():
    """|T|² = 1/((k − m ω²)² + z² ω²) is half of 1/k² at (m ω²)² + (z² − 2 m k) ω² = k²."""
    m, k, z = 0.3, 200.0, 40.0
    b, c = (z**2 - 2 * m * k) / m**2, k**2 / m**2
    edge = np.sqrt(0.5 * (-b + np.sqrt(b**2 + 4 * c))) / (2 * np.pi)
    ((low, high),) = passband(cell(m, k, z), [0], [0], WIDE)
    assert low == pytest.approx(WIDE.low)
    assert edge / RATIO <= high <= edge


def test_a_resonance_passes_the_width_of_its_damping():
    """Half the power is lost ζ ω₀ to either side, but for ζ² of it."""
    m, k, z = 0.3, 200.0, 0.05
    omega, zeta = np.sqrt(k / m), z / (2 * np.sqrt(k * m))
    ((low, high),) = passband(cell(m, k, z), [0], [0], WIDE)
    # one of 17 frequencies over four half-widths: the edge is within a quarter of one
    for found, exact in ((low, 1 - zeta), (high, 1 + zeta)):
        assert found * 2 * np.pi / omega == pytest.approx(exact, abs=0.26 * zeta)


def test_a_model_passes_the_union_of_all_its_transfers():
    chain = chain_of_cells(3, 1.0, stiffness=1.0, damping=0.02, between_stiffness=400.0, between_damping=0.02)
    one, other = (passband(chain, [0], [n], WIDE) for n in (0, 1))
    both = passband(chain, [0], [0, 1], WIDE)

    def inside(f, intervals):
        return any(low <= f <= high for low, high in intervals)

    for f in np.geomspace(0.1, 20.0, 500):
        assert inside(f, both) == (inside(f, one) or inside(f, other)) or not inside(f, both)
    covered = sum(high - low for low, high in both)
    assert covered >= max(sum(high - low for low, high in found) for found in (one, other))


def test_wrong_questions_are_refused():
    with pytest.raises(InputError, match="must have sources and outputs"):
        passband(cell(1.0, 1.0), [], [0], WIDE)
    with pytest.raises(InputError, match="fraction"):
        passband(cell(1.0, 1.0), [0], [0], WIDE, level=2.0)
    with pytest.raises(InputError, match="no such mass"):
        passband(cell(1.0, 1.0), [0], [3], WIDE)
