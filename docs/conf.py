"""Sphinx: pages in Markdown, the API from docstrings, the gallery from examples/. Nothing is fetched from anywhere."""

import re
from inspect import getdoc
from pathlib import Path
from typing import Generic, TypeVar

import numpy.typing
from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError
from sphinx.util.logging import getLogger
from sphinx_gallery.scrapers import figure_rst

Item = TypeVar("Item")


class ArrayLike:
    """Stands for numpy's union of many types, so that signatures can be read."""


class NDArray(Generic[Item]):
    """Stands for numpy's alias of a generic class, likewise."""


numpy.typing.ArrayLike, numpy.typing.NDArray = ArrayLike, NDArray  # before motiform takes them

import motiform  # noqa: E402
from bench import PEERS  # noqa: E402
from motiform.base.references import REFERENCES  # noqa: E402
from motiform.measure.markers import FORMATS  # noqa: E402

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

html_theme = "furo"
html_title = f"motiform {release}"
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
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
}


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
    "references": (
        ("key", "document"),
        [(f"[{key}]", text) for key, text in sorted(REFERENCES.items())],
    ),
    "marker formats": (
        ("format", "endings", "what is read", "written"),
        [(form.title, ", ".join(form.endings), form.about, "yes" if form.write else "") for form in FORMATS.values()],
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
    elif what == "attribute":
        as_written[name] = lines.copy()
    elif any(line.startswith("-----") for line in lines):
        lines[:] = [part for line in lines for part in ITEM.sub(r"\1\n    \2", line).split("\n")]


def restore(app, what, name, obj, options, lines):
    if what == "attribute":
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
