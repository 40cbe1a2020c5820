"""Pictures are shown in a notebook, and named elsewhere."""

import sys
from types import ModuleType, SimpleNamespace

from motiform.image import show_pictures


def test_elsewhere_their_paths_are_printed(tmp_path, capsys):
    show_pictures([tmp_path / "a.png", str(tmp_path / "b.png")])
    assert capsys.readouterr().out == f"{tmp_path / 'a.png'}\n{tmp_path / 'b.png'}\n"


def test_in_a_notebook_they_are_displayed(tmp_path, capsys, monkeypatch):
    shown = []
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.Image, display.display = lambda filename: filename, shown.append
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    show_pictures([tmp_path / "a.png"])
    assert (shown, capsys.readouterr().out) == ([str(tmp_path / "a.png")], "")
    package.get_ipython = lambda: SimpleNamespace()  # IPython in a terminal
    show_pictures([tmp_path / "a.png"])
    assert capsys.readouterr().out == f"{tmp_path / 'a.png'}\n"
