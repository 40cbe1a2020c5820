"""HTML: what comes from files, scenes and users is text in it, never markup. Every page is made with this."""

from collections.abc import Iterable
from html import escape as _escaped
from string import Formatter
from typing import Any

__all__ = ["Html", "escape", "html", "join", "page"]


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(value: Any) -> Html:
    """Return a value as text of a page, also inside quotes; what is HTML already stays."""
    return value if isinstance(value, Html) else Html(_escaped(str(value)))


class _Template(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        return value if isinstance(value, Html) else escape(format(value, spec))


def page(template: str, /, *parts: Any, **named: Any) -> str:
    """Return what `html` does as plain text, for libraries that take no subclass of it."""
    return str(html(template, *parts, **named))


def html(template: str, /, *parts: Any, **named: Any) -> Html:
    """Fill a template as `str.format` does, with values as text.

    >>> html("<b>{name}</b> {:.1f}", 0.25, name="a<b>")
    '<b>a&lt;b&gt;</b> 0.2'
    """
    return Html(_Template().vformat(template, parts, named))


def join(parts: Iterable[Any], between: str = "") -> Html:
    """Return parts after one another, those that are not HTML as text."""
    return Html(between.join(map(escape, parts)))
