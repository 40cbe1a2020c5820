"""The bench of faults: runs of every kind are killed, stopped by signals and hindered, then resumed to the same bits.

python tests/soak/run.py [--kills N] [--seed S] [--fault NAME] [--json]

Every fault gives how often it was done, and what was wrong: a recording that cannot be opened, a resumed run with other
bits, an error that is none of motiform's, a process that does not end.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # where workers find what they run

from soak.nursery import ENOUGH, Job, Nursery

RUNS = {
    "bodies, fixed steps": ("handle", {"scene.duration": 20, "scene.rate": 500}),
    "bodies, adaptive": ("mobile", {"scene.duration": 0.7, "motion.integrator": "dormand-prince"}),
    "figure": ("pendulum", {"scene.duration": 2}),
    "contact joint": ("disk", {"scene.duration": 1.5}),
    "contacts by events": ("bouncing", {"scene.duration": 0.7}),
    "contacts by steps": ("kondo-stand", {"scene.duration": 0.1}),
    "muscles": ("arm-reach", {"scene.duration": 0.3}),
    "motors": ("kondo-squat", {"scene.duration": 0.2}),
    "matter": ("cloth", {"scene.duration": 1}),
    "figure in matter": ("hand", {"scene.duration": 0.6}),
    "screens": ("ripples", {"scene.duration": 0.8}),
    "sound": ("plucked-strings", {"scene.duration": 0.05}),
}
"""A scene of every kind of run, a few tenths of a second of work."""
WRIST = "wrist"
"""A kind that has stages instead of samples, and takes seconds: one in so many kills is of it."""
_ONE_IN = 50
_BONES = ("radius", "ulna", "scaphoid", "lunate", "capitate")


def command(name: str, folder: Path) -> list[str]:
    """Return the arguments of a kind of run, all but where it writes."""
    if name == WRIST:
        return ["wrist", str(folder / "bones"), "--quick", "--flexion", "10", "--quiet"]
    scene, settings = RUNS[name]
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    return ["run", scene, "--quiet", *sets]


def write_bones(folder: Path) -> None:
    """Write the meshes of a synthetic wrist."""
    from motiform.geometry import write_mesh
    from motiform.measure import synthetic_bones

    found = synthetic_bones(detail=2)
    folder.mkdir()
    for name in _BONES:
        write_mesh(found[name], folder / f"{name}.stl")


def start(arguments: list[str], **env: str) -> subprocess.Popen:
    """Start the command in a new Python. Signals are those of a terminal: what a background job ignores is not."""

    def begin() -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    main = "from motiform.cli import main; main()"
    environment = {**os.environ, "MOTIFORM_QUIET": "1", **env}
    return subprocess.Popen([sys.executable, "-c", main, *arguments], env=environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, preexec_fn=begin)  # fmt: skip


def end(process: subprocess.Popen) -> tuple[int, str]:
    """Wait for a process and return its code and what it said."""
    try:
        _, said = process.communicate(timeout=ENOUGH)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -1, f"it did not end in {ENOUGH:.0f} s"
    return process.returncode, said


class Bench:
    """Folder, whole runs to compare with, and counts."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.draw = folder, random.Random(seed)
        self.done: dict[str, int] = {}
        self.wrong: list[str] = []
        self.seconds: dict[str, float] = {}
        self._whole: dict[str, tuple[Path, float]] = {}
        write_bones(folder / "bones")
        self.nursery = Nursery([command(name, folder) for name in (*RUNS, WRIST)])

    def job(self, name: str, out: Path, *more: str, **options: Any) -> Job:
        """Return the command that runs a kind."""
        return Job([*command(name, self.folder), "--out", str(out), *more], **options)

    def whole(self, name: str) -> tuple[Path, float]:
        """Return an uninterrupted run of a kind, and how long it took [s]."""
        if name not in self._whole:
            out = self.folder / f"whole-{len(self._whole)}.mf"
            ended = self.nursery.run(self.job(name, out))[0]
            message = f"{name} ended with {ended.code} after {ended.seconds:.0f} s: {ended.said}"
            assert ended.code == 0, message
            self._whole[name] = out, ended.seconds
        return self._whole[name]

    def count(self, fault: str) -> None:
        """Count a fault."""
        self.done[fault] = self.done.get(fault, 0) + 1

    def add(self, fault: str, what: str) -> None:
        """Note what is wrong."""
        self.wrong.append(f"{fault}: {what}")

    def finish(self, fault: str, name: str, out: Path) -> None:
        """Resume a run to its end and compare it with the whole one."""
        ended = self.nursery.run(self.job(name, out, "--resume"))[0]
        if ended.code:
            self.add(fault, f"{name}: resuming ended with {ended.code}: {ended.said[-300:]}")
        elif not self.is_whole(name, out):
            self.add(fault, f"{name}: the resumed run has other bits")
        forget(out)

    def is_whole(self, name: str, out: Path) -> bool:
        """Whether a run has the bits of an uninterrupted one, also in what is heard."""
        from motiform.record import compare, open_recording

        other = self.whole(name)[0]
        sounds = [path.read_bytes() for one in (out, other) if (path := one.with_suffix(".wav")).exists()]
        heard = not sounds or (len(sounds) == 2 and sounds[0] == sounds[1])
        return heard and compare(*(open_recording(recording(name, one)) for one in (out, other))).identical

    def check_open(self, fault: str, name: str, out: Path) -> int:
        """Open what a fault left, and return how many samples it has."""
        from motiform.base.errors import MotiformError
        from motiform.record import open_recording
        from motiform.record.store import check_whole

        place = recording(name, out)
        if not place.exists():
            return 0
        try:
            rec = open_recording(place)
            check_whole(rec)
        except MotiformError as error:
            self.add(fault, f"{out.name} cannot be read: {error}")
            return 0
        return rec.count(rec.names[0])


def recording(name: str, out: Path) -> Path:
    """Return the recording of a kind of run: what it wrote, or the one in its folder of results."""
    return out / "wrist.mf" if name == WRIST else out


def forget(out: Path) -> None:
    """Remove what a run wrote."""
    shutil.rmtree(out, ignore_errors=True)
    out.with_suffix(".wav").unlink(missing_ok=True)


def is_complete(out: Path) -> bool:
    """Whether a recording is whole."""
    from motiform.record import open_recording

    return bool(open_recording(out).complete)


# ---------------------------------------------------------------- faults
def kills(bench: Bench, count: int) -> None:
    """Kill runs at any instant, a third of them again when they are resumed, and let them end."""
    names, done, runs = list(RUNS), 0, 0
    while done < max(count, len(names) + 1) or runs <= len(names):
        name = WRIST if runs % _ONE_IN == len(names) else names[runs % len(names)]
        runs += 1
        _, seconds = bench.whole(name)
        out = bench.folder / f"killed-{done}.mf"
        for more in ([], ["--resume"])[: bench.draw.choice((1, 1, 2))]:
            bench.nursery.run(bench.job(name, out, *more, after=bench.draw.uniform(0.2, 1.0) * seconds))
            bench.count(f"kill -9, {name}")
            done += 1
            if not bench.check_open("kill -9", name, out):
                bench.count("    of them before anything was committed")
        bench.finish("kill -9", name, out)
        if runs % 50 == 0:
            print(f"{done} kills, {len(bench.wrong)} wrong", file=sys.stderr, flush=True)


def signals(bench: Bench, count: int) -> None:
    """Stop runs by signals: what they have is committed, the code is the signal's, and they go on to the same bits."""
    for n in range(max(3, count // 10)):
        sent = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[n % 3]
        name = list(RUNS)[n % len(RUNS)]
        _, seconds = bench.whole(name)
        out = bench.folder / f"stopped-{n}.mf"
        ended = bench.nursery.run(bench.job(name, out, after=bench.draw.uniform(0.0, 0.95) * seconds, sent=sent))[0]
        bench.count(sent.name)
        # by the signal itself: before the run began; after its end, it was leaving
        outside = ended.code == -sent and (not out.exists() or is_complete(out))
        if ended.code not in (128 + sent, 0) and not outside:
            bench.add(sent.name, f"{name} ended with {ended.code}: {ended.said[-300:]}")
        bench.check_open(sent.name, name, out)
        bench.finish(sent.name, name, out)


def writers(bench: Bench, count: int) -> None:
    """Start two runs that write one recording: one of them is refused, the other is whole."""
    for n in range(max(2, count // 20)):
        name = list(RUNS)[n % len(RUNS)]
        out = bench.folder / f"both-{n}.mf"
        ended = bench.nursery.run(bench.job(name, out), bench.job(name, out))
        bench.count("two writers")
        if sorted(one.code for one in ended) not in ([0, 0], [0, 2]):
            bench.add("two writers", f"{name}: {ended}")
        elif not bench.is_whole(name, out):
            bench.add("two writers", f"{name}: other bits")
        forget(out)


def hindered(bench: Bench, count: int) -> None:
    """Run where files may not grow, no descriptors are left, or the output is full: an error, and nothing damaged."""
    hindrances = {
        "full disk": ("RLIMIT_FSIZE", (1000, 20_000, 100_000)),
        "no descriptors": ("RLIMIT_NOFILE", (8, 12, 20)),
    }
    for fault, (kind, sizes) in hindrances.items():
        for n in range(max(len(sizes), count // 20)):
            name, out, size = list(RUNS)[n % len(RUNS)], bench.folder / f"hindered-{n}.mf", sizes[n % len(sizes)]
            ended = bench.nursery.run(bench.job(name, out, limits={kind: size}))[0]
            bench.count(fault)
            if ended.code not in (0, 1, 2) or "Traceback" in ended.said:
                bench.add(fault, f"{name} with {size} ended with {ended.code}: {ended.said[-300:]}")
            bench.check_open(fault, name, out)
            if out.exists():
                bench.finish(fault, name, out)
    _read_only(bench)
    if Path("/dev/full").exists():
        main = "from motiform.cli import main; main()"
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.Popen(
                [sys.executable, "-c", main, "list"], stdout=full, stderr=subprocess.PIPE, text=True
            )
            code, said = end(process)
        bench.count("full output")
        if code != 1 or "Traceback" in said:
            bench.add("full output", f"ended with {code}: {said[-300:]}")


def _read_only(bench: Bench) -> None:
    """Run into a place where nothing can be written, for whoever runs it: a file as folder, and /proc."""
    file = bench.folder / "no-folder"
    file.touch()
    for place in (file, Path("/proc")):
        if place.exists():
            ended = bench.nursery.run(bench.job("figure", place / "a.mf"))[0]
            bench.count("no place to write")
            if ended.code not in (1, 2) or "Traceback" in ended.said or not ended.said:
                bench.add("no place to write", f"{place} ended with {ended.code}: {ended.said[-300:]}")


def caches(bench: Bench, count: int) -> None:
    """Damage machine code in random ways, and let processes compile at once: the same bits."""
    name = "matter"  # the least to compile
    cache = bench.folder / "cache"
    outs = [bench.folder / f"compiled-{n}.mf" for n in range(3)]
    arguments = command(name, bench.folder)
    ended = [end(one) for one in [start([*arguments, "--out", str(o)], MOTIFORM_CACHE=str(cache)) for o in outs]]
    bench.count("three compile at once")
    for (code, said), out in zip(ended, outs, strict=True):
        if code or not bench.is_whole(name, out):
            bench.add("three compile at once", f"ended with {code}, or other bits: {said[-300:]}")
    for n in range(max(2, count // 50)):
        files = sorted(path for path in cache.rglob("*.nb[ic]"))
        for file in bench.draw.sample(files, min(len(files), 5)):
            data = file.read_bytes()
            k = bench.draw.randrange(max(1, len(data)))
            flipped = data[:k] + bytes([data[k] ^ 1 << bench.draw.randrange(8)]) + data[k + 1 :] if data else b"x"
            file.write_bytes(bench.draw.choice((b"", data[:k], flipped, bench.draw.randbytes(len(data)))))
        out = bench.folder / f"damaged-{n}.mf"
        code, said = end(start([*arguments, "--out", str(out)], MOTIFORM_CACHE=str(cache)))
        bench.count("damaged cache")
        if code or not bench.is_whole(name, out):
            bench.add("damaged cache", f"ended with {code}, or other bits: {said[-300:]}")
        forget(out)


def early_signals(bench: Bench, count: int) -> None:
    """Send Ctrl-C while Python starts, imports and compiles: the process ends by it, and soon."""
    arguments = command("figure", bench.folder)
    begun = time.monotonic()
    assert end(start([*arguments, "--out", str(bench.folder / "started.mf")]))[0] == 0
    seconds = time.monotonic() - begun
    for n in range(max(3, count // 20)):
        out = bench.folder / f"early-{n}.mf"
        process = start([*arguments, "--out", str(out)])
        time.sleep(bench.draw.uniform(0.02, 0.9) * seconds)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        code, said = end(process)
        late = time.monotonic() - begun
        bench.count("SIGINT while it starts")
        through = code == 0 and is_complete(out)  # it was faster this time
        if not through and (code not in (128 + signal.SIGINT, -signal.SIGINT) or late > max(10.0, seconds)):
            bench.add("SIGINT while it starts", f"ended with {code} after {late:.1f} s: {said[-300:]}")
        bench.check_open("SIGINT while it starts", "figure", out)
        forget(out)


def studies(bench: Bench, count: int) -> None:
    """Kill workers, the scheduler, then all workers of a study on a cluster: it says so, and nothing is lost."""
    from soak.study import study

    runs = min(200, max(12, count))
    folder = bench.folder / "study"
    folder.mkdir()
    found = study(folder, runs)
    bench.done[f"runs of a study on a cluster ({runs})"] = 1
    for what, times in found["killed"].items():
        bench.done[f"{what} killed in a study"] = times
    if found["wrong"] or found["kept"][-1] != runs or sorted(found["kept"]) != found["kept"]:
        bench.add("study", f"{found}")
    if len(found["errors"]) != 2 or not any("must have workers" in text for text in found["errors"]):
        bench.add("study", f"its end was not reported: {found['errors']}")


FAULTS: dict[str, Callable[[Bench, int], None]] = {
    "kills": kills, "signals": signals, "early signals": early_signals, "writers": writers,
    "hindered": hindered, "caches": caches, "studies": studies,
}  # fmt: skip


def soak(count: int, seed: int, faults: list[str]) -> Bench:
    """Do faults and return their counts."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        bench = Bench(Path(folder), seed)
        try:
            for name in faults:
                begun = time.monotonic()
                FAULTS[name](bench, count)
                bench.seconds[name] = time.monotonic() - begun
        finally:
            bench.nursery.close()
        return bench


def main() -> None:
    """Do faults, and end with 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=FAULTS, action="append")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    bench = soak(given.kills, given.seed, given.fault or list(FAULTS))
    if given.json:
        print(
            json.dumps(
                {"seed": given.seed, "done": bench.done, "seconds": bench.seconds, "wrong": bench.wrong}, indent=1
            )
        )
    else:
        for line in _lines(bench):
            print(line)
    sys.exit(bool(bench.wrong))


def _lines(bench: Bench) -> Iterator[str]:
    for fault, count in bench.done.items():
        yield f"{count:6} {fault}"
    for fault, seconds in bench.seconds.items():
        yield f"{seconds:8.1f} s {fault}"
    yield from bench.wrong
    total = sum(count for fault, count in bench.done.items() if not fault.startswith(" "))
    yield f"{total} faults, {len(bench.wrong)} wrong"


if __name__ == "__main__":
    main()
