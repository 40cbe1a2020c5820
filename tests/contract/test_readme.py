"""The README does what it says: its blocks run, one after the other, in an empty folder, and a second time."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(name, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands():
    """Return the lines of the last block for a shell that call motiform and end by themselves."""
    lines = next(block for block in blocks("README.md", "sh") if "motiform run" in block).splitlines()
    calls = [shlex.split(line, comments=True)[1:] for line in lines]
    assert calls.pop()[0] == "view"  # it serves until Ctrl-C
    return calls


@pytest.mark.slow
def test_blocks_run_in_order_and_a_second_time(tmp_path):
    """As a new user pastes them: the Python blocks, then the command line, then all of it again."""
    code = "\n".join(blocks("README.md", "python"))
    assert "simulate" in code
    code += "\nassert flips and drift < 1e-12"  # rounding of 12 000 steps is some 1e-14
    motiform = [sys.executable, "-c", "from motiform.cli import main; main()"]
    for _ in range(2):
        run([sys.executable, "-c", code], tmp_path)
        for call in commands():
            run([*motiform, *call], tmp_path)
    made = ("bone.stl", "turns.mf", "turns.png", "turns.mp4", "turns.pdf", "handle.mf", "handle.mp4", "handle.glb")
    assert not [name for name in made if not (tmp_path / name).exists()]


def test_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"
