"""The tour of `motiform demo`: every stop is a scene, every part is there, and its page shows what was made."""

from pathlib import Path

from motiform.cli.demo import TOUR, Shown
from motiform.cli.demo_page import page
from motiform.scene import list_scenes


def test_the_tour_has_one_or_two_scenes_a_part():
    parts = {entry.name: entry.part for entry in list_scenes()}
    visited = [parts[name] for name in TOUR]
    assert set(visited) == set(parts.values())
    assert all(1 <= visited.count(part) <= 3 for part in set(visited))
    assert len(TOUR) <= 10


def test_the_page_shows_all_and_takes_names_as_text():
    files = {"picture": Path("a.png"), "plot": Path("b.png")}
    shown = [
        Shown("<b>bold</b>", "bodies", "x < y", files),
        Shown("Film", "of its own", "", files | {"film": Path("c.mp4")}),
        Shown("No curves", "bodies", "", {"picture": Path("d.png")}),
    ]
    text = page(shown, Path("demo"))
    assert "<b>bold" not in text
    assert "&lt;b&gt;bold" in text
    assert "x &lt; y" in text
    assert 'src="c.mp4"' in text
    assert 'src="d.png"' in text
    assert text.count('src="b.png"') == 2
    assert "Of its own" in text
    assert "http" not in text  # nothing comes from elsewhere
    assert "demo/handle.mf" in text
