"""Sound of a live run in the browser: blocks of 16 bits are sent to each open page, which plays them by WebAudio."""

import base64
import json
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.libraries import load_library
from motiform.record.sound import quantise

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["LEAD", "PageSound"]

LEAD = 0.06  # [s] that a page plays behind what it has got: blocks come unevenly
MOST = 1.0  # [s]; after each gap a page waits twice as long, up to this
SPARE = 0.3  # [s]; blocks that would wait so much longer than that are left out
FLOOR = 1e-3  # [m/s or m] full scale at least where a scene gives none: rounding is not heard


class PageSound:
    """What is heard of a live run on all pages of a server.

    A block is quantised to 16 bits with `peak` as full scale, or else the largest so far. It is heard after its own
    length, `LEAD`, and what the browser and its device take; each page shows the sum. A page that is too busy to take
    blocks in time waits longer, up to `MOST`.
    """

    def __init__(self, server: "ViserServer", *, rate: float, channels: int, peak: float | None) -> None:
        self._server, self._peak, self._loudest = server, peak, FLOOR
        given = {"rate": rate, "lead": LEAD, "most": MOST, "spare": SPARE, "channels": channels}
        page = files("motiform.studio").joinpath("pages", "sound.js").read_text("utf-8").rstrip()
        self._page = f"{page}({json.dumps(given)});"
        self._ready: set[int] = set()
        self.on = True
        """Whether blocks are sent."""

    def play(self, heard: np.ndarray) -> None:
        """Send a block (samples, channels) [m/s or m]."""
        if not self.on or not len(heard):
            return
        text = json.dumps(self.encode(heard))
        for number, client in self._server.get_clients().items():
            if number not in self._ready:
                self._ready.add(number)
                _run(client, self._page)
            _run(client, f"if (window.motiformSound) window.motiformSound.play({text});")

    def encode(self, heard: np.ndarray) -> str:
        """Return a block as a page takes it: 16-bit numbers, little end first, in base 64."""
        self._loudest = max(self._loudest, float(np.abs(heard).max(initial=0.0)))
        peak = self._loudest if self._peak is None else self._peak
        return base64.b64encode(quantise(heard, bits=16, peak=peak).numbers.astype("<i2").tobytes()).decode()

    def close(self) -> None:
        """End the sound on all pages."""
        for number, client in self._server.get_clients().items():
            if number in self._ready:
                _run(client, "if (window.motiformSound) window.motiformSound.close();")
        self._ready.clear()


def _run(client: object, source: str) -> None:
    """Run a script on a page. viser has no public way; plots of its own do the same."""
    message = load_library("viser._messages").RunJavascriptMessage(source=source)
    client.gui._websock_interface.queue_message(message)  # type: ignore[attr-defined]
