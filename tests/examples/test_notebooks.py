"""Every example is whole in itself, so that the notebook that the gallery offers runs as it is downloaded."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.rglob("plot_*.py"))
QUICK = ("plot_hidden_marker", "plot_urdf_arm", "plot_why_does_the_handle_flip")  # seconds each, at full size
TAIL = re.compile(
    r"\n\nif __name__ == \"__main__\":\n    (\w+) = main\(\)\n    check\(\1\)\n(?:    print\(.*\)\n)?"
    r"    show_pictures\(draw\(\1, Path\(mkdtemp\(\)\)\)\)\n\Z"
)
# A cell runs in the module __main__ of a kernel, which has no file and the kernel's own arguments.
KERNEL = (
    "import sys; sys.argv = ['ipykernel_launcher.py', '-f', 'kernel.json']; exec(compile({code!r}, 'cell', 'exec'))"
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_end_alike(path):
    assert TAIL.search(path.read_text("utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_asks_for_the_file_or_the_arguments(path):
    tree = ast.parse(path.read_text("utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not names & {"__file__", "argv", "getfile", "getsourcefile"}
    assert not modules & {"sys", "inspect", *(other.stem for other in EXAMPLES)}


def test_no_example_needs_a_file_beside_it():
    others = [path.name for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {name for name in others if not re.fullmatch(r"plot_\w+\.py|GALLERY_HEADER\.rst", name)} == set()


def cell(path):
    """Return the one code cell that the gallery makes of an example: all after its docstring."""
    text = path.read_text("utf-8")
    assert not re.search(r"^# ?%%|^#{20,}", text, flags=re.MULTILINE)  # these would cut it into several
    docstring = ast.parse(text).body[0]
    return "\n".join(text.splitlines()[docstring.end_lineno :])


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_notebook_runs_as_downloaded(name, tmp_path):
    path = next(path for path in EXAMPLES if path.stem == name)
    command = [sys.executable, "-c", KERNEL.format(code=cell(path))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pictures = [Path(line) for line in done.stdout.splitlines() if line.endswith(".png")]
    assert pictures
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == []  # nothing is left beside the notebook
