"""Points with sizes and colors of their own, links that stretch and skins that deform, from a small recording."""

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.form import dress, strobe
from motiform.image.extent import form_bounds, lowest_height
from motiform.record import Channel, Recording

GRAINS = np.array(
    [[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]], [[0.0, 0.5, 0.0], [1.0, 2.0, 0.0], [2.5, 1, 0]]]
)
CORNERS = np.array([[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
UP = np.array([0.0, 0.5, 0.0])


def recorded(form, grains=GRAINS, statics=None):
    sheet = np.stack([CORNERS, CORNERS + UP])
    speed = np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 4.0]])
    data = {
        "grains": (Channel("grains", unit="m", dims=("point", "axis"), shape=(3, 3), rate=10.0), grains),
        "sheet": (Channel("sheet", unit="m", dims=("point", "axis"), shape=(4, 3), rate=10.0), sheet),
        "speed": (Channel("speed", unit="m/s", dims=("point",), shape=(3,), rate=10.0), speed),
    }
    data["time"] = Channel("time", unit="s", rate=10.0), np.array([0.0, 0.1])
    kept = {"radii": np.array([0.1, 0.2, 0.4]), "pairs": np.array([[0, 2], [1, 3]]), "faces": FACES} | (statics or {})
    return Recording.from_arrays(data, manifest={"form": form}, statics=kept)


def test_points_have_sizes_of_their_own():
    [part] = dress(recorded({"g": {"points": "grains", "radius": {"static": "radii"}, "color": [1, 0, 0]}})).parts
    assert part.shape.radius == 0.4
    np.testing.assert_array_equal(part.scale * 0.4, [0.1, 0.2, 0.4])
    np.testing.assert_array_equal(part.position, GRAINS)


def test_only_the_points_that_are_picked():
    entry = {"points": "grains", "radius": 0.1, "color": [1, 0, 0], "pick": [2, 0]}
    [part] = dress(recorded({"g": entry})).parts
    np.testing.assert_array_equal(part.position, GRAINS[:, [2, 0]])


def test_colors_follow_a_channel():
    color = {"channel": "speed", "map": [0.0, 2.0], "colors": [[0, 0, 0], [1, 1, 1]]}
    [part] = dress(recorded({"g": {"points": "grains", "radius": 0.1, "color": color}})).parts
    np.testing.assert_allclose(part.shades.at(0)[:, 0], [0.0, 0.5, 1.0])
    np.testing.assert_allclose(part.shades.at(1)[:, 1], [1.0, 0.5, 1.0])  # beyond the map: its end
    np.testing.assert_array_equal(part.color, part.shades.at(0))


def test_colors_by_a_component_and_by_a_length():
    by_height = {"channel": "grains", "axis": 1, "map": [0.0, 2.0], "colors": [[0, 0, 0], [1, 1, 1]]}
    [part] = dress(recorded({"g": {"points": "grains", "radius": 0.1, "color": by_height}})).parts
    np.testing.assert_allclose(part.shades.at(1)[:, 0], [0.25, 1.0, 0.5])
    by_length = {"channel": "grains", "map": [1.0, 2.0], "colors": [[0, 0, 0], [1, 1, 1]]}
    [part] = dress(recorded({"g": {"points": "grains", "radius": 0.1, "color": by_length}})).parts
    np.testing.assert_allclose(part.shades.at(0)[:2, 0], [0.0, np.sqrt(2) - 1])


def test_links_join_points_of_two_channels():
    entry = {"links": ["grains", "sheet"], "pairs": {"static": "pairs"}, "radius": 0.02, "color": [0, 0, 1]}
    form = dress(recorded({"l": entry}))
    [links] = form.links
    np.testing.assert_array_equal(links.ends(1)[0], [GRAINS[1, 0], CORNERS[2] + UP])
    np.testing.assert_array_equal(links.ends(0)[1], [GRAINS[0, 1], CORNERS[3]])
    assert not form.parts
    assert len(form.times) == 2


def test_a_skin_is_a_channel_and_its_faces():
    [skin] = dress(recorded({"s": {"skin": "sheet", "faces": {"static": "faces"}, "color": [1, 0, 0]}})).skins
    np.testing.assert_array_equal(skin.vertices[1], CORNERS + UP)
    np.testing.assert_array_equal(skin.faces, FACES)
    assert len(skin.tones) == 1


def test_a_skin_of_two_colors():
    entry = {"skin": "sheet", "faces": FACES.tolist(), "color": [[1.0, 0, 0], [0, 0, 1.0]]}
    [skin] = dress(recorded({"s": entry})).skins
    assert [(color.tolist(), own.tolist()) for color, own in skin.tones] == [([0, 0, 1], [1]), ([1, 0, 0], [0])]


def test_bounds_and_lowest_count_all():
    down = GRAINS - [0.0, 2.0, 0.0]
    form = {
        "g": {"points": "grains", "radius": {"static": "radii"}, "color": [1, 0, 0], "matter": True},
        "s": {"skin": "sheet", "faces": {"static": "faces"}, "color": [1, 0, 0]},
        "l": {"links": ["grains", "sheet"], "pairs": {"static": "pairs"}, "radius": 0.02, "color": [0, 0, 1]},
    }
    dressed = dress(recorded(form, down))
    # The lowest is grain 0 at the second sample; its own radius counts, not the largest.
    assert lowest_height(dressed) == pytest.approx(0.5 - 2.0 - 0.1, abs=1e-12)
    np.testing.assert_allclose(form_bounds(dressed)[1], [2.5 + 0.4, 0.5 + 0.02, 1.0 + 0.02], atol=1e-12)


def test_strobe_shows_links_and_skins_many_times():
    form = {
        "s": {"skin": "sheet", "faces": {"static": "faces"}, "color": [1, 0, 0]},
        "l": {"links": ["grains", "sheet"], "pairs": {"static": "pairs"}, "radius": 0.02, "color": [0, 0, 1]},
    }
    dressed = dress(recorded(form))
    flashes = strobe(dressed, 2)
    [skin], [links] = flashes.skins, flashes.links
    np.testing.assert_array_equal(skin.vertices[0][skin.faces[2:]], dressed.skins[0].vertices[1][FACES])
    np.testing.assert_array_equal(links.ends(0), np.concatenate([dressed.links[0].ends(k) for k in (0, 1)]))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"points": "grains", "radius": [0.1, 0.2], "color": [1, 0, 0]}, "radius"),
        ({"points": "grains", "radius": -1.0, "color": [1, 0, 0]}, "radius"),
        ({"points": "grains", "radius": 0.1, "color": [[1, 0, 0]] * 2}, "colors"),
        ({"points": "time", "radius": 0.1, "color": [1, 0, 0]}, "channel of points"),
        ({"points": "grains", "radius": 0.1, "color": {"channel": "sheet"}}, "channel of colors"),
        ({"points": "grains", "radius": 0.1, "color": {"channel": "speed", "map": [1, 1]}}, "map of colors"),
        ({"links": ["grains", "sheet"], "pairs": [[0, 4]], "radius": 0.1}, "no such point"),
        ({"links": ["grains", "sheet"], "pairs": [[0.0, 1.0]], "radius": 0.1}, "pairs"),
        ({"skin": "sheet", "faces": [[0, 1, 4]], "color": [1, 0, 0]}, "no such point"),
        ({"skin": "sheet", "faces": [[0, 1]], "color": [1, 0, 0]}, "faces"),
    ],
)
def test_what_does_not_fit_is_reported(entry, text):
    with pytest.raises(MotiformError, match=text):
        dress(recorded({"thing": entry}))
