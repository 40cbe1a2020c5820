"""Pages load nothing from elsewhere: those that motiform writes and serves, and those of the documentation."""

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LOADS = {"src", "href", "data", "poster", "srcset", "action"}
STYLE = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Loaded(HTMLParser):
    """Collects the addresses that a page loads from other hosts; a link that a person may follow is none."""

    def __init__(self, page):
        super().__init__()
        self.found = STYLE.findall(page)
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag != "a":
            given = {key: value or "" for key, value in attributes if key in LOADS}
            self.found += [value for value in given.values() if re.match(r"(https?:)?//", value)]


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<script src="https://cdn.example/a.js"></script>', ["https://cdn.example/a.js"]),
        ("<link rel=stylesheet href=//cdn.example/a.css>", ["//cdn.example/a.css"]),
        ("<style>@import 'http://cdn.example/a.css'; b { background: url(https://x.example/b) }</style>",
         ["http://cdn.example/a.css", "https://x.example/b"]),
        ('<a href="https://example.org">a page</a><img src="data:image/png;base64,AA//"><script src="a.js">', []),
    ],
)  # fmt: skip
def test_what_is_loaded_is_seen(page, found):
    assert Loaded(page).found == found


@pytest.mark.slow
def test_the_report_of_a_trial_loads_nothing(tmp_path):
    from motiform.image.report.page import write_report
    from motiform.motion.postures import virtual_markers
    from motiform.motion.tree import FigureBuilder, joints
    from motiform.trials import reconstruct

    builder = FigureBuilder(name="pendulum")
    builder.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0))
    for name, point in {"a": (0.0, 0.0, 0.1), "b": (0.0, -0.4, 0.0), "c": (0.1, -0.2, 0.0)}.items():
        builder.tag(name, "arm", point)
    figure = builder.build()
    markers = virtual_markers(figure, 0.5 * np.sin(np.linspace(0, 3, 30))[:, None], rate=50)
    path = write_report(reconstruct(figure, markers), figure, markers, tmp_path / "report.html")
    assert Loaded(path.read_text("utf-8")).found == []


def test_the_page_of_the_studio_loads_nothing():
    # What it asks for while it runs is watched in tests/browser.
    import viser

    page = Path(viser.__file__).parent / "client" / "build" / "index.html"
    assert Loaded(page.read_text("utf-8")).found == []


def test_formulas_of_the_documentation_are_drawn_by_the_browser():
    tree = ast.parse((ROOT / "docs" / "conf.py").read_text("utf-8"))
    values = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("extensions", "html_math_renderer")
    }
    assert values["html_math_renderer"] == "mathml"
    assert not any("mathjax" in name for name in values["extensions"])


def test_numbers_of_fractions_are_in_braces():
    # What makes MathML of them reads \frac12 x as twelve over x.
    for path in (*(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")):
        assert re.findall(r"\\[td]?frac\s*\d+", path.read_text("utf-8")) == [], path
