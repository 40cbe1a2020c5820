"""The room of screens: motion, form and image side by side, the plane (K, Z), and a mouse that engraves."""

import json
import struct
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RunError, closest
from motiform.image.chroma import OPERATORS, Tint, chroma_values, relief_pixels
from motiform.image.screens import upright_field
from motiform.motion.matter.stability.cell import CARDINAL, critical_damping, regime
from motiform.motion.screens import PRESETS, Prototype, Screen, Screens
from motiform.studio.export import file_stem
from motiform.studio.live_screen import LiveScreen
from motiform.studio.rooms import PageResponse, room_page
from motiform.studio.runs import plain

if TYPE_CHECKING:
    from motiform.scene import Scene

__all__ = ["ScreenRoom", "picture_of_pin", "pin_of_picture"]

MOST = 256  # pins along each side that a page is sent; of larger grids every second, third …
POINTS = 4000  # of a network that a page draws
FADE = 0.05  # of its distance from the numbers now that the range of colours goes back in each picture
COLOR = (0.72, 0.66, 0.56)  # of screens that have none
_BLANK = "a bare screen"
_CURVE = np.linspace(0.0, 1.0, 41)


def pin_of_picture(screen: Screen, x: float, y: float) -> tuple[float, float]:
    """Return the pin at a place of the picture, in pins from its upper left, x to the right and y down."""
    axes, (n, m) = screen.axes, screen.shape
    if axes[0] == "y":
        return n - 1 - y, x
    return x, m - 1 - y if axes[1] == "y" else y


def picture_of_pin(screen: Screen, pins: np.ndarray) -> np.ndarray:
    """Return where places of the grid, in pins (…, 2), are in the picture: x to the right, y down."""
    axes, (n, m) = screen.axes, screen.shape
    row, column = pins[..., 0], pins[..., 1]
    if axes[0] == "y":
        return np.stack([column, n - 1 - row], axis=-1)
    return np.stack([row, m - 1 - column if axes[1] == "y" else column], axis=-1)


class ScreenRoom:
    """The page /screen. Each message of a page is an order or none, and is answered by the picture of now."""

    def __init__(self) -> None:
        from motiform.scene import list_scenes

        self._lock = threading.RLock()
        texts = {entry.name: entry.path.read_text("utf-8") for entry in list_scenes()}
        self._known = {entry.name: entry.title for entry in list_scenes() if "[[screen]]" in texts[entry.name]}
        self.live: LiveScreen | None = None
        """What runs, None until a page has asked for it."""
        self.scene = ""
        self._version, self._message, self.operator = 0, "", "relief"
        self._span: tuple[float, float] | None = None

    def answer(self, address: str) -> PageResponse | None:
        """Return the page, or its script."""
        return room_page(address or "screen.html") if address in ("", "screen.js") else None

    def handle(self, message: Mapping[str, Any]) -> bytes | str:
        """Do what a page asks for; return the state of now, or what does not change while a scene runs."""
        with self._lock:
            if self.live is None or "scene" in message:
                self.open(str(message.get("scene") or _BLANK))
            live = self.live
            assert live is not None
            self._apply_orders(live, message)
            return self._about(live) if message.get("about") else self._frame(live)

    def open(self, source: "str | Scene") -> None:
        """Let a scene with a screen go on, a built-in one by its name."""
        model: Any
        if isinstance(source, str) and source == _BLANK:
            model, seconds, title = Screen(shape=(160, 120), spacing=0.01, axes="xz", law="IV"), None, _BLANK
        else:
            from motiform.scene import load_scene

            if isinstance(source, str) and source not in self._known:
                remedy = closest(source, self._known)
                raise InputError(
                    "no such scene with a screen", got=source, allowed=", ".join(self._known), remedy=remedy
                )
            scene = load_scene(source) if isinstance(source, str) else source
            model, seconds, title = scene.build().model, scene.document.scene.duration, scene.name
            if not isinstance(model, Screens | Screen):
                raise RunError("the scene has no screen", got=scene.title, allowed=", ".join(self._known))
        with self._lock:
            live = LiveScreen(model, seconds=seconds, on_end=self._failed)
            self.close()
            self.live, self.scene, self._message, self._span = live, title, "", None
            self._version += 1
            live.start()

    def save(self) -> Path:
        """Keep the strokes in the folder that the studio was started in."""
        assert self.live is not None
        stem = file_stem(self.scene)
        names = (f"{stem}-strokes{n}.mf" for n in ("", *range(2, 1000)))
        path = next(p for p in map(Path, names) if not p.exists())
        self.live.strokes(path, title=f"Strokes on {self.scene!r}")
        return path

    def hold(self) -> None:
        """Hold time while something else runs."""
        if self.live is not None:
            self.live.pause()

    def close(self) -> None:
        """End what runs."""
        live, self.live = self.live, None
        if live is not None:
            live.close()

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _failed(self, error: BaseException) -> None:
        self._message = plain(error)

    def _apply_orders(self, live: LiveScreen, message: Mapping[str, Any]) -> None:
        """Do what a message orders; an order that is refused changes nothing."""
        if "law" in message:
            live.shape(str(message["law"]))
        if "segment" in message:
            (a, b), (c, d) = message["segment"]
            live.shape(Prototype((float(a), float(b)), (float(c), float(d))))
        if "reach" in message:
            live.widen(float(message["reach"]) * live.screen.spacing)
        if "operator" in message:
            self._choose(str(message["operator"]))
        if "press" in message:
            for x, y in message["press"]:  # all places since the message before, first and last count
                live.press(*pin_of_picture(live.screen, float(x), float(y)), below=bool(message.get("below")))
        if message.get("lift"):
            live.lift()
        if message.get("level"):
            live.level()
        if message.get("begin"):
            live.begin()
        if message.get("save"):
            self._message = f"Saved as {self.save().name}."
        if "run" in message:
            self._message = ""
            live.start() if message["run"] else live.pause()

    def _choose(self, operator: str) -> None:
        if operator not in ("relief", *OPERATORS):
            remedy = closest(operator, OPERATORS)
            raise InputError("unknown operator", got=operator, allowed=", ".join(("relief", *OPERATORS)), remedy=remedy)
        self.operator, self._span = operator, None

    def _about(self, live: LiveScreen) -> str:
        """Return what stays as it is while a scene runs."""
        network, s = live.model.network, live.screen
        color = live.model.colors.get(live.name, COLOR)
        points: dict[str, Any] = {"radius": [], "color": []}
        if network is not None:
            each = [np.broadcast_to(np.asarray(g.color, float), (g.count, 3)) for g in network.groups]
            points["color"] = np.round(255 * np.concatenate(each)).astype(int)[: self._shown(network)].tolist()
            points["radius"] = np.round(network.radius[: self._shown(network)] / s.spacing, 3).tolist()
        return json.dumps({
            "version": self._version, "scene": self.scene, "scenes": {_BLANK: _BLANK, **self._known},
            "presets": list(PRESETS), "operators": ["relief", *OPERATORS], "operator": self.operator,
            "cardinal": CARDINAL, "curve": np.stack([_CURVE, critical_damping(_CURVE)], axis=1).round(4).tolist(),
            "color": [round(255 * float(c)) for c in color], "scale": live.model.scales.get(live.name, 1.0),
            "spacing": s.spacing, "upright": "y" in s.axes, "points": points,
        })  # fmt: skip

    @staticmethod
    def _shown(network: Any) -> int:
        return int(min(network.count, POINTS))

    def _frame(self, live: LiveScreen) -> bytes:
        """Return a header, heights and places as 32-bit numbers, and the pixels of the image."""
        s = live.screen
        field = upright_field(live.heights(), s.axes)
        every = max(1, -(-max(field.shape) // MOST))
        field = field[::every, ::every]
        places = live.points()[:POINTS]
        at = np.concatenate([picture_of_pin(s, s.locate(places)) / every, s.above(places)[:, None] - s.rest], axis=1)
        pixels = self._painted(field, s.spacing * every, live)
        law, (low, high) = live.law, live.segment
        head = {
            "version": self._version, "rows": field.shape[0], "columns": field.shape[1], "every": every,
            "points": len(at), "time": round(live.engine.time, 3), "running": live.running, "message": self._message,
            "segment": [list(low), list(high)], "regimes": [str(regime(*end)) for end in (low, high)],
            "law": [float(f"{value:.6g}") for value in law], "softened": round(live.softened, 3),
        }  # fmt: skip
        text = json.dumps(head).encode()
        text += b" " * (-len(text) % 4)
        parts = ((field - s.rest).astype("<f4"), at.astype("<f4"), pixels)
        return struct.pack("<I", len(text)) + text + b"".join(np.ascontiguousarray(one).tobytes() for one in parts)

    def _painted(self, field: np.ndarray, spacing: float, live: LiveScreen) -> np.ndarray:
        """Return the pixels of the image; the range of colours follows the numbers, fast up and slowly back."""
        red, green, blue = live.model.colors.get(live.name, COLOR)
        color = 255.0 * red, 255.0 * green, 255.0 * blue
        if self.operator == "relief":
            return relief_pixels(field, spacing, scale=live.model.scales.get(live.name, 1.0), color=color)
        w = chroma_values(field, self.operator)
        low, high = float(w.min()), float(w.max())
        if self._span is not None:
            low = min(low, self._span[0] + FADE * (low - self._span[0]))
            high = max(high, self._span[1] + FADE * (high - self._span[1]))
        self._span = low, high
        return Tint.fitted([low, high], color).pixels(w)
