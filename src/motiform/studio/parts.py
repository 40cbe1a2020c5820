"""Which parts of what is seen are visible."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viser import ViserServer

    from motiform.studio.panels import Guard
    from motiform.studio.view import View

__all__ = ["PartsPanel"]

_MOST = 40  # parts that have a box each; more are a crowd


class PartsPanel:
    """A box for each part of the view: bones, segments, solids."""

    def __init__(self, server: "ViserServer", view: "View", *, guard: "Guard") -> None:
        self._server, self._view, self._guard = server, view, guard
        self._folder: Any = server.gui.add_folder("Parts", expand_by_default=False, visible=False)
        self._boxes: dict[str, Any] = {}

    def load(self) -> None:
        """Offer the parts of what is shown now."""
        shown = self._view.parts
        offered = list(shown) if 2 <= len(shown) <= _MOST else []
        if offered != list(self._boxes):
            for box in self._boxes.values():
                box.remove()
            with self._folder:
                self._boxes = {name: self._box(name) for name in offered}
        for name, box in self._boxes.items():
            box.value = shown[name]
        self._folder.visible = bool(offered)

    def _box(self, name: str) -> Any:
        box = self._server.gui.add_checkbox(name, True)
        box.on_update(self._guard(lambda event: self._show(name, event)))
        return box

    def _show(self, name: str, event: Any) -> None:
        self._view.show_part(name, bool(event.target.value))
