"""The README does what it says: its Python blocks run, one after the other, in an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def blocks(name, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def test_python_blocks_run(tmp_path):
    code = "\n".join(blocks("README.md", "python"))
    assert "simulate" in code
    code += "\nassert flips and drift < 1e-12"  # rounding of 12 000 steps is some 1e-14
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("bone.stl", "handle.mf", "handle.png", "handle.mp4", "handle.pdf"):
        assert (tmp_path / name).exists()


def test_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"
