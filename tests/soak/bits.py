"""The bits of every scene of the gallery: runs again, in blocks of one sample and the longest, on 1, 2 and 3 threads.

python tests/soak/bits.py [--seconds S] [--scene NAME]

A scene is run as it is for its first samples, at least three of them. Where a run has other bits than the first, its
channels are printed; the end of the process is 1 then.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from unittest import mock

WAYS = {
    "again": (1, None), "blocks of one sample": (1, 1), "longest blocks": (1, 10**9),
    "2 threads": (2, None), "3 threads": (3, None),
}  # fmt: skip
"""Threads, and samples of a block; None: as many as come in a fifth of a second."""


def digests(name: str, seconds: float, count: int, block: int | None) -> dict[str, str]:
    """Return a digest of every channel of the first part of a scene."""
    import numpy as np

    import motiform as mf
    from motiform.base.kernels import threads
    from motiform.motion.run import Pace

    scene = mf.load_scene(name).document.scene
    length = min(scene.duration, max(seconds, 3 / scene.rate))
    with ExitStack() as held:
        held.enter_context(threads(count))
        if block is not None:
            start = Pace.__init__

            def begin(self: Pace, numbers: int) -> None:
                start(self, numbers)
                self.most = min(block, 16384)
                self.count = self.most

            held.enter_context(mock.patch.object(Pace, "__init__", begin))
            held.enter_context(mock.patch.object(Pace, "full", lambda self, kept: kept >= self.most))
            held.enter_context(mock.patch.object(Pace, "adapt"))
        rec = mf.simulate(name, settings={"scene.duration": length})
        return {key: hashlib.sha256(np.ascontiguousarray(rec[key]).tobytes()).hexdigest() for key in rec.names}


def differences(name: str, seconds: float) -> Iterator[str]:
    """Tell how runs of a scene differ from its first."""
    first = digests(name, seconds, 1, None)
    for way, (count, block) in WAYS.items():
        found = digests(name, seconds, count, block)
        other = [key for key in first if found.get(key) != first[key]]
        if other or found.keys() != first.keys():
            yield f"{name}, {way}: {', '.join(other) or 'other channels'}"


def main() -> None:
    """Compare, and end with 1 where bits differ."""
    os.environ.update(NUMBA_NUM_THREADS="3", OMP_NUM_THREADS="1", MOTIFORM_QUIET="1")
    from motiform.scene import list_scenes

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--scene", action="append")
    given = parser.parse_args()
    names = given.scene or [scene.name for scene in list_scenes()]
    wrong = 0
    for name in names:
        lines = list(differences(name, given.seconds))
        wrong += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    print(f"{len(names)} scenes, {len(names) * (len(WAYS) + 1)} runs, {wrong} with other bits")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
