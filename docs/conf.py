"""Sphinx: pages in Markdown, the API from docstrings, the gallery from examples/. Nothing is fetched from anywhere.

With the tag "quick" (`make docs-quick`) no example is executed: pages have the pictures that are there.
"""

import re
import sys
from inspect import getdoc
from pathlib import Path
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import numpy
import numpy.typing
import sphinx.util.typing
from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError
from sphinx.util.logging import getLogger
from sphinx_gallery.scrapers import figure_rst

Item = TypeVar("Item")


ROOT = Path(__file__).parents[1]
QUICK = tags.has("quick")  # noqa: F821

sys.path.insert(0, str(ROOT))  # bench/


class ArrayLike:
    """Stands for numpy's union of many types where signatures are written, so that they can be read."""


class NDArray(Generic[Item]):
    """Stands for numpy's alias of a generic class, likewise."""


LIKE = set(get_args(numpy.typing.ArrayLike))
write_annotation = sphinx.util.typing.stringify_annotation


def readable(annotation):
    """Return a type with numpy's aliases, of which Python keeps only what they stand for."""
    if get_origin(annotation) in (Union, UnionType) and set(get_args(annotation)) >= LIKE:
        return Union[ArrayLike, *(one for one in get_args(annotation) if one not in LIKE)]
    if get_origin(annotation) is numpy.ndarray:
        (kind,) = get_args(get_args(annotation)[1]) or (Any,)
        return NDArray[kind]
    return annotation


def write_readable(annotation, /, *arguments, **options):
    return write_annotation(readable(annotation), *arguments, **options)


for module in list(sys.modules.values()):  # those that are loaded later take it from the first
    if vars(module).get("stringify_annotation") is write_annotation:
        module.stringify_annotation = write_readable

import motiform  # noqa: E402
from bench import PEERS  # noqa: E402
from motiform.base.references import REFERENCES  # noqa: E402
from motiform.measure.markers import FORMATS  # noqa: E402
from motiform.measure.poses import POSE_FORMATS  # noqa: E402

project, author, copyright = "motiform", "The motiform authors", "The motiform authors"
version = release = motiform.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_templates", "gallery/**/*.ipynb", "gallery/**/*.py", "gallery/**/*.zip"]
suppress_warnings = ["config.cache"]  # the scraper below is a function, which cannot be kept between builds

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
templates_path = ["_templates"]

html_theme = "basic" if QUICK else "furo"  # which writes the whole tree of pages on each of them, 0.7 s a page
html_title = f"motiform {release}"
html_show_sphinx = False
html_theme_options = {} if QUICK else {"navigation_with_keys": True}
html_static_path: list[str] = []
html_math_renderer = "mathml"  # drawn by the browser itself: MathJax would be fetched from elsewhere


shown: list[Path] = []
motiform.image.show_pictures = shown.extend  # an example imports it anew


def scrape_pictures(block, block_vars, gallery_conf):
    """Put the pictures that an example shows on its page."""
    targets = [Path(next(block_vars["image_path_iterator"])) for _ in shown]
    for path, target in zip(shown, targets, strict=True):
        target.write_bytes(Path(path).read_bytes())
    shown.clear()
    return "".join(figure_rst([str(target)], gallery_conf["src_dir"]) for target in targets)


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "image_scrapers": (scrape_pictures,),
    "reset_modules": (),
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "plot_gallery": not QUICK,
}

PICTURE = re.compile(r"!\[([^\]]*)\]\((gallery/(\w+)/images/sphx_glr_(\w+)_\d+\.png)\)")


def leave_out_pictures(app, docname, source):
    """Leave out the pictures of examples that are not there yet: of a build that executes none."""

    def check(found):
        words, path, theme, example = found.groups()
        made = (ROOT / "examples" / theme / f"{example}.py").is_file()
        return found[0] if not made or (Path(app.srcdir) / path).is_file() else f"*{words}*"

    source[0] = PICTURE.sub(check, source[0])


def escape_signs(app, what, name, obj, options, lines):
    """Keep |u| a length and *shape a tuple in docstrings: reStructuredText would take them for markup."""
    for n, line in enumerate(lines):
        parts = line.split("``")  # text, literal, text, ...
        for k in range(0, len(parts), 2):
            parts[k] = parts[k].replace("|", r"\|")
            if parts[k].count("*") % 2:
                parts[k] = parts[k].replace("*", r"\*")
        lines[n] = "``".join(parts)


TABLES = {
    "references": (("key", "document"), [(f"[{key}]", text) for key, text in sorted(REFERENCES.items())]),
    "marker formats": (
        ("format", "endings", "what is read", "written"),
        [(form.title, ", ".join(form.endings), form.about, "yes" if form.write else "") for form in FORMATS.values()],
    ),
    "pose formats": (
        ("format", "endings", "what is read, or why not"),
        [(form.title, ", ".join(form.endings), form.about) for form in POSE_FORMATS.values()],
    ),
    "benchmark peers": (
        ("theme", "peer", "cases", "how"),
        [(peer.theme, f"`{peer.name}`", ", ".join(f"`{case}`" for case in peer.cases), peer.about) for peer in PEERS],
    ),
}


def fill_tables(app, docname, source):
    """Put a table from the code where a page says ``<!-- table: NAME -->``."""
    for name, (heads, rows) in TABLES.items():
        lines = ["|".join(("", *cells, "")) for cells in (heads, ["---"] * len(heads), *rows)]
        source[0] = source[0].replace(f"<!-- table: {name} -->", "\n".join(lines))


ITEM = re.compile(r"^([\w*, ]+) : (.+)$")
as_written: dict[str, list[str]] = {}


def remember(app, what, name, obj, options, lines):
    """Keep text from being taken for a type: what stands before a colon in a field, or after one in ``name : text``."""
    if what == "data" and "\n".join(lines).strip() == getdoc(type(obj)):
        lines.clear()  # of a constant that is imported from elsewhere, the words on its type
    elif what in ("attribute", "property"):
        as_written[name] = lines.copy()
    elif any(line.startswith("-----") for line in lines):
        lines[:] = [part for line in lines for part in ITEM.sub(r"\1\n    \2", line).split("\n")]


def restore(app, what, name, obj, options, lines):
    if what in ("attribute", "property"):
        lines[:] = as_written.pop(name)


def write_formula(writer, node):
    """Write a formula as MathML."""
    try:
        writer.body.append(tex2mathml(node.astext(), as_block=node.tagname == "math_block"))
    except MathError as error:
        getLogger(__name__).warning(f"formula {node.astext()!r}: {error}", location=node)
    raise SkipNode


ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?((?:https?:)?//[^"' >]+)""")


def check_pages(app, error):
    """Refuse pages that load something from elsewhere."""
    if error is None and app.builder.format == "html":
        for page in sorted(Path(app.outdir).rglob("*.html")):
            for address in ELSEWHERE.findall(page.read_text("utf-8")):
                raise ExtensionError(f"{page.relative_to(app.outdir)} loads {address}")


def setup(app):
    app.connect("build-finished", check_pages)
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
    app.connect("autodoc-process-docstring", remember, priority=400)  # napoleon's is 500
    app.connect("autodoc-process-docstring", restore, priority=600)
    app.connect("autodoc-process-docstring", escape_signs, priority=700)
    app.connect("source-read", fill_tables)
    if QUICK:
        app.connect("source-read", leave_out_pictures)
