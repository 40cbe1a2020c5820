"""Optional libraries: an error names the one that is missing, and the command that installs it."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import motiform
from motiform.base.errors import InputError
from motiform.base.libraries import OPTIONAL, load_library

SOURCE = Path(motiform.__file__).parent
PROJECT = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = {"pillow": "PIL"}  # where it is not the package's name


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0]


@pytest.mark.parametrize("module", OPTIONAL)
def test_a_missing_library_is_named_with_the_command_that_installs_it(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    library = OPTIONAL[module]
    what = library.package if library.extra is None else f"'motiform[{library.extra}]'"
    with pytest.raises(InputError) as caught:
        load_library(module, where="scheduler", otherwise="Or do without.")
    text = f"scheduler: the library {library.package} is not installed. Install it: pip install {what}. Or do without."
    assert str(caught.value) == text


def test_a_broken_library_is_reported_with_its_error(monkeypatch, tmp_path):
    (tmp_path / "mido.py").write_text("import nothing_of_this_name")
    monkeypatch.delitem(sys.modules, "mido", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"mido cannot be imported.*nothing_of_this_name.*--force-reinstall mido"):
        load_library("mido")


def test_extras_are_those_of_the_package():
    """The command of an error installs the library that it names; `all` has all of them."""
    extras = PROJECT["optional-dependencies"]
    for library in OPTIONAL.values():
        if library.extra is not None:
            assert library.package in map(name_of, extras[library.extra])
            assert re.search(rf"[\[,]{library.extra}[,\]]", extras["all"][0])


def test_imports_are_required_or_go_through_load_library():
    """A module that is neither of Python nor of motiform belongs to a requirement, or is loaded by the function."""
    required = {MODULES.get(name_of(one), name_of(one)).replace("-", "_") for one in PROJECT["dependencies"]}
    required |= {"llvmlite", "pydantic_core"}  # parts of Numba and pydantic
    required |= {"contourpy"}  # part of matplotlib, and of the extra ct
    required |= {"IPython"}  # imported where Python runs inside of it
    known = required | set(sys.stdlib_module_names) | {"motiform"}
    for path in sorted(SOURCE.rglob("*.py")):
        for name, line in imported(ast.parse(path.read_text("utf-8"))):
            assert name.partition(".")[0] in known, f"{path.relative_to(SOURCE)}:{line} imports {name}"


def imported(tree):
    """Give the modules that are imported when code runs: those of `if TYPE_CHECKING` are not."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module, node.lineno
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imported(ast.Module(node.orelse, []))
        else:
            yield from imported(node)


def test_imports_are_found():
    tree = ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\ndef f():\n    from c.d import e\n")
    assert [name for name, _ in imported(tree)] == ["b", "c.d"]
