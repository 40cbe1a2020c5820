"""A ribbon lays itself in folds: its layers lie on one another and do not pass through."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import motiform as mf

SPACING = 0.02  # m, of the weave


def nearest(places: np.ndarray) -> float:
    return min(float(cKDTree(x).query(x, k=2)[0][:, 1].min()) for x in places)


@pytest.mark.slow
def test_the_cloth_does_not_pass_through_itself() -> None:
    """A point in the middle of a cell is spacing/√2 from its corners: who passes comes as near as that to one."""
    through = SPACING / np.sqrt(2)
    folded = mf.simulate("folding-cloth")["ribbon.position"]
    assert nearest(folded) > through
    # at the end it is a pile: no higher than the folds of a ribbon of 1.18 m that are as long as its rail swings wide
    top = folded[-1, :, 1].max()
    assert 0.04 < top < 0.15
    passing = mf.simulate("folding-cloth", settings={"network.0.reach": []})["ribbon.position"]
    assert nearest(passing) < 0.5 * through
