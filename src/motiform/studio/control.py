"""Playing by MIDI and OSC: messages become places that the hand of a live run is pulled to, and tell what it feels."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import load_library
from motiform.motion.matter.model.network import Network
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    from motiform.studio.live import LiveNetwork

__all__ = ["Instrument", "listen_midi", "listen_osc", "send_force"]

LOWEST, KEYS = 36, 60  # MIDI notes that go along the longest side, five octaves from C2
CONTROLS = {1: 1, 16: 0, 17: 1, 18: 2}  # modulation and general purpose controllers: their axes


class Instrument:
    """Messages of players, and where they move a hand.

    The hand has a box to play in: as wide as the masses, and a quarter of their longest side up and down from where it
    begins. A note goes along the longest level side and presses down by its velocity until it ends; controllers 16, 17
    and 18 (or modulation for y), and the pitch wheel for y, go through the box. OSC takes places in metres.
    """

    def __init__(self, network: Network, move: Callable[[np.ndarray], None]) -> None:
        from motiform.studio.live import HAND

        self._move, self.start = move, np.array(network.group(HAND).position[0])
        place = network.initial_state().position[network.movable]
        low, high = place.min(axis=0), place.max(axis=0)
        size = float((high - low).max())
        self.low, self.high = np.minimum(low, self.start), np.maximum(high, self.start)
        self.low[1], self.high[1] = self.start[1] - 0.25 * size, self.start[1] + 0.25 * size
        level = self.high - self.low
        self.along = 0 if level[0] >= level[2] else 2
        self.place, self._held = self.start.copy(), set[int]()

    # ---- messages ---------------------------------------------------------------------------------------------------

    def midi(self, message: Any) -> None:
        """Take a message of mido: notes, controllers, the pitch wheel; others do nothing."""
        kind = message.type
        if kind == "note_on" and message.velocity > 0:
            self.note(message.note, message.velocity / 127)
        elif kind in ("note_on", "note_off"):
            self.release(message.note)
        elif kind == "control_change" and message.control in CONTROLS:
            axis = CONTROLS[message.control]
            self._go(axis, self.low[axis] + message.value / 127 * (self.high[axis] - self.low[axis]))
        elif kind == "pitchwheel":  # −8192 to 8191, 0 at rest
            self._go(1, self.start[1] + message.pitch / 8192 * (self.high[1] - self.start[1]))

    def osc(self, address: str, *values: Any) -> None:
        """Take a message of OSC: /hand x y z, /hand/x x, /hand/y y, /hand/z z [m], /note number velocity (0 to 1)."""
        try:
            numbers = [float(value) for value in values]
        except (TypeError, ValueError, OverflowError):
            raise InputError("an OSC message must have numbers", where=address, got=values) from None
        if not np.isfinite(numbers).all():
            raise InputError("numbers of an OSC message must be finite", where=address, got=values)
        if address == "/hand" and len(numbers) == 3:
            self.place = np.array(as_floats(numbers, 3, where="/hand"))
            self._move(self.place.copy())
        elif address in ("/hand/x", "/hand/y", "/hand/z") and len(numbers) == 1:
            self._go("xyz".index(address[-1]), numbers[0])
        elif address == "/note" and len(numbers) == 2:
            note, velocity = int(numbers[0]), numbers[1]
            self.note(note, min(velocity, 1.0)) if velocity > 0 else self.release(note)
        else:
            allowed = "/hand x y z, /hand/x x, /hand/y y, /hand/z z, /note number velocity"
            raise InputError("an OSC message must be known", got=f"{address} {values}", allowed=allowed)

    def note(self, number: int, velocity: float) -> None:
        """Press down at the place of a note, by so much of the way (0 to 1)."""
        part = min(max((number - LOWEST) / KEYS, 0.0), 1.0)
        self.place[self.along] = self.low[self.along] + part * (self.high[self.along] - self.low[self.along])
        self._held.add(number)
        self._go(1, self.start[1] - velocity * (self.start[1] - self.low[1]))

    def release(self, number: int) -> None:
        """End a note: with the last one the hand goes up again."""
        self._held.discard(number)
        if not self._held:
            self._go(1, self.start[1])

    def _go(self, axis: int, to: float) -> None:
        self.place[axis] = to
        self._move(self.place.copy())


def listen_midi(instrument: Instrument, port: str | None = None) -> Callable[[], None]:
    """Play by a MIDI port, the first one without a name; return what ends it."""
    mido = load_library("mido")
    try:
        names = mido.get_input_names()
        if port is not None and port not in names:
            raise InputError("there is no such MIDI port", got=port, allowed=", ".join(names) or "none is connected")
        if not names:
            raise InputError("no MIDI port is there", remedy="Connect a keyboard, or make a virtual port.")
        opened = mido.open_input(port or names[0], callback=instrument.midi)
    except (OSError, ImportError) as error:
        raise RunError("MIDI ports cannot be opened", got=str(error), remedy="Install python-rtmidi.") from error
    stop: Callable[[], None] = opened.close
    return stop


def listen_osc(
    instrument: Instrument, port: int, *, host: str = "127.0.0.1", on_error: Callable[[Exception], None] = print
) -> tuple[int, Callable[[], None]]:
    """Play by OSC messages to a UDP port, 0 for any; return the port and what ends it."""
    import threading

    server = load_library("pythonosc.osc_server")
    dispatcher = load_library("pythonosc.dispatcher").Dispatcher()

    def take(address: str, *values: Any) -> None:
        try:
            instrument.osc(address, *values)
        except InputError as error:
            on_error(error)

    dispatcher.set_default_handler(take)
    try:
        opened = server.ThreadingOSCUDPServer((host, port), dispatcher)
    except OSError as error:
        raise RunError("the OSC port cannot be opened", got=f"{host}:{port}, {error}") from error
    threading.Thread(target=opened.serve_forever, name="motiform-osc", daemon=True).start()

    def close() -> None:
        opened.shutdown()
        opened.server_close()

    return int(opened.server_address[1]), close


def send_force(live: "LiveNetwork", to: str) -> Callable[[], None]:
    """Send what the hand of a live run feels, and where it is, after each turn; return what ends it.

    Messages are /hand/force x y z [N] and /hand/place x y z [m], to "host:port" or a port of this machine, by UDP: a
    device with motors makes them felt.
    """
    host, _, number = to.rpartition(":")
    if not number.isdigit() or not 0 < int(number) < 65536:
        raise InputError("forces must be sent to a port", got=to, allowed="host:port, or a port of this machine")
    try:
        client = load_library("pythonosc.udp_client").SimpleUDPClient(host or "127.0.0.1", int(number))
    except OSError as error:
        raise RunError("forces cannot be sent there", got=f"{to}, {error}") from error

    def send() -> None:
        client.send_message("/hand/force", [float(f) for f in live.force])
        client.send_message("/hand/place", [float(x) for x in live.hand])

    def close() -> None:
        live.on_turn = None

    live.on_turn = send
    return close
