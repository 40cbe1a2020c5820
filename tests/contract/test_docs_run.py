"""The Python blocks of the documentation run, page by page, in a folder with the files that a page takes as given."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if BLOCK.search(page.read_text("utf-8"))]
NOT_RUN = {"studio": "it serves until Ctrl-C", "efforts": "motiform writes no file with markers and force plates"}

WALK = """
import numpy as np
from motiform.measure import write_markers
from motiform.motion.figures import human36
from motiform.motion.postures import virtual_markers

man = human36(1.75, 71.0)
swing = 0.3 * np.sin(np.linspace(0, 6, 60))[:, None]
names = {"r_acromion": "RSHO", "r_lateral_malleolus": "RLMAL"}
for file, q in (("static.c3d", np.zeros((20, man.nq))), ("walk.c3d", np.where(np.arange(man.nq) < 36, swing, 0.0))):
    rec = virtual_markers(man, q, rate=100.0)
    rec.manifest["labels"]["marker"] = [names.get(name, name) for name in rec.manifest["labels"]["marker"]]
    write_markers(rec, file)
"""
SESSION = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "tests")!r})
from motiform.motion.figures import human36
from walkers import write_walk

for condition in ("barefoot", "orthosis"):
    write_walk(human36(1.75, 70.0), Path("patient07") / condition / "walk01.trc")
"""
TUMBLE = """
import motiform

def stop(done):
    if done > 0.5:
        raise KeyboardInterrupt

motiform.simulate("handle", settings={"scene.duration": 4}, out="tumble.mf")
try:
    motiform.simulate("handle", settings={"scene.duration": 400}, out="killed.mf", progress=stop)
except KeyboardInterrupt:
    pass
"""
PENDULUM = """<robot name="arm"><link name="base"/><link name="bar"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/></joint></robot>"""
DOG = """<mujoco><worldbody><body><freejoint/><geom type="sphere" size="0.1" mass="1"/>
<body pos="0 0 0.1"><joint type="hinge" axis="0 1 0" frictionloss="0.1"/><geom type="sphere" size="0.1" mass="1"/>
</body></body></worldbody></mujoco>"""
MARKER = """<Marker name="{0}"><socket_parent_frame>/bodyset/shank</socket_parent_frame>
<location>0 0.1 0</location></Marker>"""
LEG = """<OpenSimDocument Version="40000"><Model name="leg"><BodySet><objects><Body name="shank"><mass>3</mass>
<inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><PinJoint name="knee">
<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/shank</socket_child_frame>
<coordinates><Coordinate name="angle"/></coordinates></PinJoint></objects></JointSet>
<MarkerSet><objects>{0}</objects></MarkerSet></Model></OpenSimDocument>"""
SET = '<OpenSimDocument Version="40000"><MarkerSet name="set"><objects>{0}</objects></MarkerSet></OpenSimDocument>'


def given(page, folder):
    """Write the files that a page reads."""
    files = {
        "readers": {"arm.urdf": PENDULUM, "dog.xml": DOG},
        "osim": {"subject01.osim": LEG.format(MARKER.format("HEEL")), "markers.xml": SET.format(MARKER.format("TOE"))},
        "measure": {"subjects.csv": "subject,01\nheight,1.7\nmass,62\n"},
    }
    for name, text in files.get(page, {}).items():
        (folder / name).write_text(text, "utf-8")
    if page in ("calibration", "measure", "reconstruct"):
        run(WALK, folder)
    if page == "session":
        run(SESSION, folder)
    if page == "record":
        run(TUMBLE, folder)


def run(code, folder):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run_in_order(page, tmp_path):
    if page.stem in NOT_RUN:
        pytest.skip(NOT_RUN[page.stem])
    given(page.stem, tmp_path)
    run("\n".join(BLOCK.findall(page.read_text("utf-8"))), tmp_path)
