r"""What do sand, water, soil and smoke look like engraved in a screen?
=====================================================================

Masses have no shape. A screen of pins that they press gives them one, and its law decides which [Habibi97 §8.5]: near
the prototype S it keeps what passed, near I it makes waves, near IV a track stays and its edges slide down, near V it
blends like a fluid and forgets. Here are the scenes that the thesis dressed so: sand against an obstacle (S), drops in
a liquid (I with some damping), a vehicle on soil (IV), smoke of two streams that roll up, and of a swinging censer (V).
The motion of the smoke is recorded first and dressed afterwards, each stream by a screen of its own: what engraves one
screen blends, what engraves another does not [Habibi97 §9.3].

How long does a trace last? Take away what engraves and let the screen go on: its mean height is its lowest mode, a
single cell (K, Z) with x(n+1) = (2 − Z − K) x(n) − (1 − Z) x(n−1) [Habibi97 8.21]. So sand forgets within z/k = 1.25 s,
a track in the soil within a minute, smoke in half a second, and the surface of the liquid swings for ever. Two more
claims: no wave of the drops is faster than c = δ √(k_v/m), 0.67 m/s, and the steepest slope of a track falls.

``films(result, folder)`` writes all of them as films.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.image import film, picture, show_pictures
from motiform.image.chroma import Tint
from motiform.image.screens import screen_film, screen_picture, upright_field, write_png
from motiform.motion.screens import Engraver, ModeSegment, Screen, ScreenEngine, Screens
from motiform.scene import load_scene

FLUID = ModeSegment((0.002, 0.05), (0.6, 0.6))  # near V: the lowest mode is held a little, so that smoke thins out
SCENES = {"sand": "sand-screen", "liquid": "ripples", "soil": "soil-vehicle"}
PAINTED = {  # how each is painted: operator, settings
    "sand": {"operator": "relief", "color": (232.0, 196.0, 128.0), "scale": 1.5},
    "liquid": {"operator": "relief", "color": (118.0, 172.0, 214.0), "scale": 4.0},
    "soil": {"operator": "relief", "color": (196.0, 150.0, 106.0)},
    "smoke": {"operator": "identity", "tint": Tint(0.0, 0.06, (226.0, 232.0, 244.0))},
    "censer": {"operator": "identity", "tint": Tint(0.0, 0.05, (226.0, 232.0, 244.0))},
}


def smoke(quick):
    """Return the screen of the inner one of two streams that roll up, and the recording of a screen for each."""
    until = 0.2 if quick else 0.9
    motion = mf.simulate("kelvin-helmholtz", settings={"scene.duration": until, "form": []})
    bare = Screen(
        shape=(141, 141), spacing=0.01, origin=(-0.7, -0.7, 0), law=FLUID, mass=0.01, frequency=150.0, dtype="float32"
    )
    screens = {}
    for stream in ("inner", "outer"):
        names = [name for name in motion.names if name.startswith(stream)]
        tips = [Engraver.recorded(motion, name, stiffness=12.0, reach=0.035, height=-0.012) for name in names]
        screens[stream] = bare.replace(engravers=tuple(tips))
    return screens["inner"], mf.simulate(Screens(screens), t1=until, rate=75)


def censer(quick):
    """Return a screen engraved by the smoke of a censer, and its recording."""
    until = 0.32 if quick else 7.0
    fewer = {"network.0.masses.0.fill.spacing": 0.0131, "network.0.imposed.0.fill.spacing": 0.01179}
    motion = mf.simulate("censer", settings=fewer | {"scene.duration": until})
    tips = Engraver.recorded(motion, "smoke.position", stiffness=0.6, reach=0.06, height=-0.02)
    screen = Screen(
        shape=(151, 171), spacing=0.02, origin=(-1.3, 0.1, 0), law=FLUID, mass=0.01, frequency=150.0,
        engravers=(tips,), dtype="float32",
    )  # fmt: skip
    return screen, mf.simulate(screen, t1=until, rate=25)


def main(quick=False):
    found = {}
    for name, scene in SCENES.items():
        (key, screen), *_ = load_scene(scene).build().model.screens.items()
        settings = {"scene.duration": 0.4 if name == "liquid" else 0.2} if quick else {}
        found[name] = (screen, mf.simulate(scene, settings=settings), f"{key}.heights")
    return found | {"smoke": (*smoke(quick), "inner.heights"), "censer": (*censer(quick), "heights")}


def left_alone(screen, rec, channel):
    """Return the screen as it is at the end, without what engraves it; edges are free, so that its mean is a mode."""
    heights = np.asarray(rec[channel][-1], float)
    return ScreenEngine(screen.replace(engravers=(), heights=heights, velocity=None, edges="free"))


def check(result):
    rounding = 500 * 40 * np.finfo(float).eps
    for screen, rec, channel in result.values():
        alone = left_alone(screen, rec, channel)
        K, Z = screen.links[0] * screen.step**2 / screen.mass, screen.links[1] * screen.step / screen.mass
        start, size = alone.heights().mean(), np.abs(alone.heights()).max()
        now = before = start
        for _ in range(500):  # a cell from rest
            now, before = (2 - Z - K) * now - (1 - Z) * before, now
        slopes = [steepest(alone)]
        for _ in range(50):
            alone.advance(10)
            slopes.append(steepest(alone))
        assert abs(alone.heights().mean() - now) < rounding * size
        if Z > 0.9:  # sand and soil: at Z = 1 a step is one of diffusion, of which no slope grows
            assert (np.diff(slopes) < 1e-6 * slopes[0]).all()
    no_wave_is_faster(*result["liquid"])
    streams_blend_with_themselves_alone(*result["smoke"])


def steepest(engine):
    return max(np.abs(np.diff(engine.heights(), axis=axis)).max() for axis in (0, 1))


def no_wave_is_faster(screen, rec, channel):
    """Check the waves of the first drop: it falls from (0.40, 0.25, 0.55) m and reaches pins 0.09 m away."""
    reach, speed = 0.09, screen.spacing * np.sqrt(screen.links[2] / screen.mass)
    touched = np.sqrt(2 * (0.25 - reach) / 9.81)
    times = rec.time(channel)
    k = int(np.searchsorted(times, 0.36))  # the second drop touches at 0.37 s
    off = np.linalg.norm(screen.places()[..., [0, 2]] - (0.40, 0.55), axis=-1)
    heights = np.abs(rec[channel][k])
    front = reach + speed * (times[k] - touched)
    # Waves of a grid are slower than c; before the front it trembles by the tail of a pulse, some pins wide.
    assert heights[off > front + 5 * screen.spacing].max() < 0.02 * heights.max()
    assert heights[(off > 0.6 * front) & (off < front)].max() > 0.1 * heights.max()


PARTS = {  # of the duration, that are drawn
    "sand": (0.12, 0.3, 1.0), "liquid": (0.1, 0.3, 0.65), "soil": (0.35, 1.0), "smoke": (0.5, 0.75, 1.0),
    "censer": (0.3, 0.65, 1.0),
}  # fmt: skip


def streams_blend_with_themselves_alone(screen, rec, channel):
    """Check that the other screen is none of its business: alone it has the same bits."""
    alone = mf.simulate(screen, t1=0.2, rate=75)["heights"]
    assert np.array_equal(alone, rec[channel][: len(alone)])


def in_two_colors(rec, sample):
    """Return the pixels of two screens, whose light is added: streams that do not blend."""
    hues = {"inner": (255.0, 150.0, 70.0), "outer": (70.0, 140.0, 255.0)}
    seen = [
        Tint(0.0, 0.06, hue).pixels(upright_field(rec[f"{name}.heights"][sample], "xy")) for name, hue in hues.items()
    ]
    return np.minimum(sum(one.astype(int) for one in seen), 255).astype(np.uint8)


def draw(result, folder):
    seen = {}
    for name, (_, rec, channel) in result.items():
        seen[name] = []
        for n, part in enumerate(PARTS[name]):
            path, sample = folder / f"{name}{n}.png", round(part * (rec.count(channel) - 1))
            seen[name].append(
                screen_picture(rec, path, channel=channel, sample=sample, overwrite=True, **PAINTED[name])
            )
    rec, last = result["smoke"][1], result["smoke"][1].count("inner.heights") - 1
    for n, part in enumerate(PARTS["smoke"]):
        write_png(in_two_colors(rec, round(part * last)), seen["smoke"][n], overwrite=True)
    rows = [seen["sand"], seen["liquid"] + seen["soil"], seen["smoke"] + seen["censer"]]
    vehicle = picture(result["soil"][1], folder / "vehicle.png", size=(1000, 620), overwrite=True)
    return [write_png(_sheet(rows), folder / "engraved.png", overwrite=True), vehicle]


def _sheet(rows, height=250, gap=6):
    """Return pictures one beside the other, rows of one height."""
    from PIL import Image

    lines = []
    for row in rows:
        seen = [Image.open(path).convert("RGB") for path in row]
        lines.append([one.resize((round(one.width * height / one.height), height), Image.LANCZOS) for one in seen])
    width = max(sum(one.width for one in line) + gap * (len(line) - 1) for line in lines)
    sheet = Image.new("RGB", (width, len(lines) * (height + gap) - gap), "white")
    for k, line in enumerate(lines):
        at = 0
        for one in line:
            sheet.paste(one, (at, k * (height + gap)))
            at += one.width + gap
    return np.asarray(sheet)


def films(result, folder):
    """Write a film of each screen as it is painted, and of the scenes with a surface in space."""
    made = [
        screen_film(rec, folder / f"{name}.mp4", channel=channel, enlarged=4, **PAINTED[name])
        for name, (_, rec, channel) in result.items()
    ]
    return made + [film(result[name][1], folder / f"{name}_in_space.mp4") for name in SCENES]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
