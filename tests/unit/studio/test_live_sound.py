"""Sound of live runs, and players: what is heard, replayed and written, and where messages move the hand."""

import base64
import socket
import threading
import wave
from types import SimpleNamespace

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError
from motiform.motion.matter import NetworkBuilder, Sound, links, topology
from motiform.record import write_wav
from motiform.scene import load_scene, simulate
from motiform.studio.audio import PageSound
from motiform.studio.control import Instrument, listen_midi, listen_osc, send_force
from motiform.studio.live import LiveNetwork, replayed
from motiform.studio.pull import LAG, Pull
from motiform.studio.spool import Spool

RATE = 44100.0


def string():
    """Return a string of 20 masses along x that a hand touches from above, and what is heard of it."""
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    ends = b.fixed("ends", [[0, 0, 0], [0.21, 0, 0]])
    masses = b.masses("string", np.linspace([0.01, 0, 0], [0.2, 0, 0], 20), 2e-5, axes="y")
    hand = b.imposed("hand", lambda t: [[0.05, 0.01, 0]])
    chain = [ends.indices[0], *masses.indices, ends.indices[1]]
    b.link("strand", topology.chain(chain), links.spring(8000.0, damping=0.01), axis="y")
    holds = links.zones((0, 0, None, -4e-4), (4000.0, 0.05, 0.0, 4e-4), (0, 0, None, np.inf))
    b.link("touch", (hand, masses[4:5]), holds, axis="y")
    return b.build(), Sound(["string[2]"])


def played(**more):
    network, sound = string()
    live = LiveNetwork(network, sound=sound, **more)
    for height in (0.005, -0.005, -0.008):
        live.move([0.05, height, 0])
        live.advance(4 * live.steps)
    return live


def test_a_pulled_hand_is_two_low_passes():
    """Steps one by one, against the closed form of many at once."""
    pull, target = Pull(np.zeros((1, 3)), 1000.0), np.array([1.0, -2.0, 0.5])
    pull.target = target
    share, middle, place = 1 - np.exp(-1 / (LAG * 1000)), np.zeros(3), np.zeros(3)
    for n in range(1, 200):
        middle = middle + share * (target - middle)
        place = place + share * (middle - place)
        np.testing.assert_allclose(pull.over(n, n + 1)[0], place, rtol=1e-12)
    at_once = Pull(np.zeros((1, 3)), 1000.0)
    at_once.target = target
    np.testing.assert_allclose(at_once.over(0, 200), pull.kept, rtol=1e-12)
    np.testing.assert_array_equal(at_once(0.150), at_once.kept[150:151])


def test_what_is_heard_is_what_a_run_of_the_gesture_records():
    blocks = []
    live = played(on_sound=blocks.append)
    assert live.steps == 441
    heard = live.heard()
    np.testing.assert_array_equal(heard[1:], np.concatenate(blocks))
    assert np.abs(heard).max() > 0.01
    network, sound = string()
    t1 = live.engine.sample / RATE
    again = simulate(replayed(network, live.gesture()), t1=t1, rate=100.0, sound=sound)
    np.testing.assert_array_equal(again["sound"], heard)


def test_blocks_for_pages_are_sixteen_bits():
    sound = PageSound(SimpleNamespace(get_clients=dict), rate=RATE, channels=1, peak=0.5)
    numbers = np.frombuffer(base64.b64decode(sound.encode(np.array([[0.0], [0.25], [-0.5], [0.7]]))), "<i2")
    assert numbers.tolist() == [0, round(0.25 * 32767 / 0.5), -32767, 32767]
    loudest = PageSound(SimpleNamespace(get_clients=dict), rate=RATE, channels=1, peak=None)
    quiet = np.frombuffer(base64.b64decode(loudest.encode(np.full((2, 1), 1e-9))), "<i2")
    assert quiet.tolist() == [0, 0]  # rounding is not made loud


def test_what_grows_for_hours_is_kept_in_a_file():
    """Blocks across the edge of what memory holds are read as they were appended; the last row may be changed."""
    rows = np.random.default_rng(4).normal(size=(200_000, 3))
    spool, first = Spool(rows[:1]), 1
    for size in (60_000, 5535, 1, 70_000, 64_463):
        spool.append(rows[first : first + size])
        first += size
        np.testing.assert_array_equal(spool.rows(first - 2, first), rows[first - 2 : first])
    early = spool.all()
    assert not early.flags.owndata
    spool.last[:] = rows[-1]
    spool.append(rows[:3])
    np.testing.assert_array_equal(early, rows)
    np.testing.assert_array_equal(spool.all(), np.concatenate([rows, rows[:3]]))
    np.testing.assert_array_equal(spool.rows(10, 140_000), rows[10:140_000])
    assert spool._last.nbytes < 2**21


def test_what_was_heard_is_written(tmp_path):
    live = played()
    write_wav(live.heard(), tmp_path / "played.wav", rate=live.listener.rate)
    with wave.open(str(tmp_path / "played.wav")) as file:
        assert (file.getframerate(), file.getsampwidth(), file.getnframes()) == (44100, 2, live.engine.sample + 1)


def test_silent_runs_and_parts_of_samples_are_reported():
    network, _ = string()
    with pytest.raises(InputError, match="listened to"):
        LiveNetwork(network).heard()
    half = LiveNetwork(network, sound=Sound(["string[2]"], rate=22050.0))
    assert half.steps % 2 == 0
    with pytest.raises(InputError, match="whole samples"):
        half.advance(3)


def test_the_harp_is_advanced_by_compiled_blocks():
    built = load_scene("harp").build()
    live = LiveNetwork(built.model, sound=built.arguments["sound"])
    assert live.engine.small
    assert live.steps == 441


# ---- players --------------------------------------------------------------------------------------------------------


def message(kind, **values):
    return SimpleNamespace(type=kind, **values)


@pytest.fixture
def instrument():
    moves = []
    network, _ = string()
    return Instrument(network, lambda place: moves.append(place.tolist())), moves


def test_notes_go_along_the_string_and_down_by_their_velocity(instrument):
    player, moves = instrument
    player.midi(message("note_on", note=36, velocity=127))
    player.midi(message("note_on", note=96, velocity=64))
    player.midi(message("note_off", note=36, velocity=0))
    player.midi(message("note_on", note=96, velocity=0))  # how many keyboards say that a note ends
    low = 0.01 - 0.25 * 0.19
    assert moves[0] == pytest.approx([0.01, low, 0])
    assert moves[1] == pytest.approx([0.2, 0.01 - 64 / 127 * 0.25 * 0.19, 0])
    assert len(moves) == 3  # nothing moves while another note is held
    assert moves[2] == pytest.approx([0.2, 0.01, 0])


def test_controllers_and_the_wheel_go_through_the_box(instrument):
    player, moves = instrument
    player.midi(message("control_change", control=16, value=127))
    player.midi(message("control_change", control=17, value=0))
    player.midi(message("pitchwheel", pitch=0))
    player.midi(message("control_change", control=7, value=3))
    player.midi(message("clock"))
    assert moves == [pytest.approx(p) for p in ([0.2, 0.01, 0], [0.2, -0.0375, 0], [0.2, 0.01, 0])]


def test_osc_gives_places_in_metres(instrument):
    player, moves = instrument
    player.osc("/hand", 0.1, 0.2, 0.3)
    player.osc("/hand/y", -0.1)
    player.osc("/note", 36, 1.0)
    player.osc("/note", 36, 0.0)
    assert moves[:2] == [[0.1, 0.2, 0.3], [0.1, -0.1, 0.3]]
    assert moves[3][1] == pytest.approx(0.01)
    for address, values in (("/foot", (1,)), ("/hand", (1, 2)), ("/hand/x", (float("nan"),)), ("/hand", ("a", 1, 2)),
                            ("/note", (float("inf"), 1.0)), ("/note", (10**400, 1.0))):  # fmt: skip
        with pytest.raises(InputError):
            player.osc(address, *values)


def test_messages_of_mido_are_taken(instrument):
    mido = pytest.importorskip("mido")
    player, moves = instrument
    player.midi(mido.Message("note_on", note=36, velocity=127))
    player.midi(mido.Message("pitchwheel", pitch=-8192))
    assert moves[1][1] == pytest.approx(0.01 - 0.25 * 0.19)
    with pytest.raises(MotiformError, match="MIDI port"):
        listen_midi(player, "no such keyboard")


def test_osc_comes_by_a_port_of_this_machine(instrument):
    client = pytest.importorskip("pythonosc.udp_client")
    player, moves = instrument
    came, errors = threading.Event(), []
    move = player._move
    player._move = lambda place: (move(place), came.set())
    port, close = listen_osc(player, 0, on_error=errors.append)
    sender = client.SimpleUDPClient("127.0.0.1", port)
    sender.send_message("/nothing", [1.0])
    sender.send_message("/hand", [0.1, 0.0, 0.0])
    assert came.wait(20)
    assert moves == [pytest.approx([0.1, 0.0, 0.0])]
    close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", port))


def row_of_masses(held=False):
    b = NetworkBuilder(frequency=1000, gravity=(0, 0, 0))
    beads = b.masses("beads", [[0.0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], 0.1, radius=0.03)
    b.link("string", topology.chain(beads.indices), links.spring(40.0, rest=0.1, damping=0.1))
    if held:
        nails = b.fixed("nails", [[0.1, -0.1, 0]])
        b.link("ties", (beads[1], nails), links.spring(100.0, rest=0.1, damping=1.0))
    return b.build()


def test_the_hand_feels_what_it_does():
    """What acts on it and on all masses is nothing together: no link goes to the ground."""
    live = LiveNetwork(row_of_masses())
    live.advance(1)
    assert (live.force == 0.0).all()
    live.move(np.array([0.1, 0.0, 0.0]))  # into the middle of the row
    felt = []
    for _ in range(200):
        live.advance(1)
        forces = live.engine.forces()
        felt.append(np.linalg.norm(live.force))
        masses = forces[live.network.movable].sum(axis=0)
        # each link adds a force to one end and takes it from the other: sums of some six terms
        np.testing.assert_allclose(live.force, -masses, rtol=0, atol=8 * np.finfo(float).eps * np.abs(forces).max())
    assert max(felt) > 0.1


def test_forces_go_out_by_osc():
    pytest.importorskip("pythonosc.udp_client")
    from pythonosc.osc_message import OscMessage

    live = LiveNetwork(row_of_masses(held=True))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        device.bind(("127.0.0.1", 0))
        device.settimeout(20)
        close = send_force(live, str(device.getsockname()[1]))
        live.move(np.array([0.1, 0.03, 0.0]))  # down on what is held
        for _ in range(8):
            live.go_on()
        found = [OscMessage(device.recv(4096)) for _ in range(16)]
        assert [one.address for one in found] == ["/hand/force", "/hand/place"] * 8
        np.testing.assert_allclose(found[-2].params, live.force, rtol=1e-6)  # float32
        np.testing.assert_allclose(found[-1].params, live.hand, rtol=1e-6, atol=1e-9)
        assert max(np.linalg.norm(one.params) for one in found[::2]) > 0
        close()
        live.go_on()
        device.settimeout(0.2)
        with pytest.raises(TimeoutError):
            device.recv(4096)
    for wrong in ("nowhere", "localhost:", "127.0.0.1:99999", ""):
        with pytest.raises(InputError, match="must be sent to a port"):
            send_force(live, wrong)
    with pytest.raises(MotiformError, match="cannot be sent"):
        send_force(live, "no host of this name.invalid:9001")


def test_libraries_that_are_missing_are_reported(instrument, monkeypatch):
    import sys

    player, _ = instrument
    monkeypatch.setitem(sys.modules, "mido", None)
    monkeypatch.setitem(sys.modules, "pythonosc", None)
    for call in (lambda: listen_midi(player), lambda: listen_osc(player, 0)):
        with pytest.raises(InputError, match=r"pip install 'motiform\[midi\]'"):
            call()
