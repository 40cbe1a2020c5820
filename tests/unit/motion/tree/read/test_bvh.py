import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.tree import forward_kinematics, tags
from motiform.motion.tree.read import read_bvh, write_bvh
from motiform.spatial import rotation_from_euler

TEXT = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 10 -5 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 -80 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.008333333
1 95 2 10 20 30 5 -15 25
2 96 3 11 21 31 6 -16 26
"""


def written(folder, text=TEXT):
    path = folder / "walk.bvh"
    path.write_text(text, "utf-8")
    return path


def test_a_skeleton_and_its_motion(tmp_path):
    """Positions are places, whatever the offset of the root; turns follow one another in the order of the channels."""
    found = read_bvh(written(tmp_path))
    assert (found.unit, len(found.q)) == ("cm", 2)
    assert found.rate == pytest.approx(120.0)
    assert found.figure.names == ("Hips", "Leg")
    R, p = forward_kinematics(found.figure, found.q[0])
    hips = rotation_from_euler(np.deg2rad([10, 20, 30]), "zyx")
    leg = hips @ rotation_from_euler(np.deg2rad([5, -15, 25]), "yxz")
    assert_allclose(R, [hips, leg], atol=1e-15)
    at = np.array([0.01, 0.95, 0.02])
    knee = at + hips @ [0.1, -0.05, 0]
    assert_allclose(p, [at, knee], atol=1e-15)
    ends = dict(zip(found.figure.tag_names, tags(found.figure, found.q[0]), strict=True))
    assert_allclose(ends["Leg_end"], knee + leg @ [0, -0.8, 0], atol=1e-15)
    inches = read_bvh(tmp_path / "walk.bvh", units="in").figure
    assert_allclose(forward_kinematics(inches, found.q[0])[1][1] - found.q[0][:3],
                    hips @ np.array([0.254, -0.127, 0]), atol=1e-12)  # fmt: skip


def test_the_motion_of_a_figure_goes_out_and_in(tmp_path):
    """Places of all segments are those of the figure: nine digits of metres in centimetres."""
    body = human36(1.8, 75.0)
    t = np.linspace(0, 1, 20)[:, None]
    q = body.neutral() + 0.3 * np.sin(5 * t + np.arange(body.nq))
    write_bvh(body, q, tmp_path / "a.bvh", rate=100.0)
    found = read_bvh(tmp_path / "a.bvh")
    assert found.rate == pytest.approx(100.0)
    R, p = forward_kinematics(found.figure, found.q)
    order = [found.figure.index(name) for name in body.names]
    own = forward_kinematics(body, q)
    assert_allclose(R[:, order], own.rotation, atol=1e-8)
    assert_allclose(p[:, order], own.position, atol=1e-8)
    with pytest.raises(InputError, match="exists"):
        write_bvh(body, q, tmp_path / "a.bvh", rate=100.0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Frames: 2", "Frames: 3", "a number for each channel"),
        ("OFFSET 10", "OFFSET ten", "must be a number"),
        ("CHANNELS 3 Y", "CHANNELS 3 W", "grammar"),
        ("  }\n}\n", "  }\n", "grammar|closed"),
        ("0.008333333", "0", "a step above 0"),
        ("OFFSET 0 -80 0", "OFFSET 0 -1e7 0", "unit of length is not given"),
        ("2 96 3", "2 nan 3", "a number for each channel"),
        ("Frames: 2", "Frames: inf", "whole number"),
        ("CHANNELS 3", "CHANNELS nan", "whole number"),
    ],
)
def test_broken_files(old, new, words, tmp_path):
    with pytest.raises(InputError, match=words):
        read_bvh(written(tmp_path, TEXT.replace(old, new)))
