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

ENOUGH = 300.0  # [s] that any process may take
RUNS = {
    "bodies, fixed steps": ("handle", {"scene.duration": 200, "scene.rate": 500}),
    "bodies, adaptive": ("mobile", {"scene.duration": 5, "motion.integrator": "dormand-prince"}),
    "figure": ("pendulum", {"scene.duration": 30}),
    "contacts": ("bouncing", {"scene.duration": 10}),
    "matter": ("cloth", {"scene.duration": 4}),
}
"""A scene of every kind of run, made long enough to be killed in it."""


def command(name: str, out: Path, *more: str) -> list[str]:
    """Return the command that runs a scene."""
    scene, settings = RUNS[name]
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    main = "from motiform.cli import main; main()"
    return [sys.executable, "-c", main, "run", scene, "--out", str(out), "--quiet", *sets, *more]


def start(name: str, out: Path, *more: str, before: Callable[[], None] | None = None, **env: str) -> subprocess.Popen:
    """Start a run. Signals are those of a terminal: what a background job ignores its children ignore, too."""

    def begin() -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if before is not None:
            before()

    told = {**os.environ, "MOTIFORM_QUIET": "1", **env}
    return subprocess.Popen(command(name, out, *more), env=told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True, preexec_fn=begin)  # fmt: skip


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
        self._whole: dict[str, tuple[Path, float]] = {}

    def whole(self, name: str) -> tuple[Path, float]:
        """Return an uninterrupted run of a kind, and how long it took [s]."""
        if name not in self._whole:
            out = self.folder / f"whole-{len(self._whole)}.mf"
            end(start(name, self.folder / "warm.mf"))
            shutil.rmtree(self.folder / "warm.mf", ignore_errors=True)
            begun = time.monotonic()
            code, said = end(start(name, out))
            assert code == 0, said
            self._whole[name] = out, time.monotonic() - begun
        return self._whole[name]

    def count(self, fault: str) -> None:
        """Count a fault."""
        self.done[fault] = self.done.get(fault, 0) + 1

    def tell(self, fault: str, what: str) -> None:
        """Note what is wrong."""
        self.wrong.append(f"{fault}: {what}")

    def finish(self, fault: str, name: str, out: Path) -> None:
        """Resume a run to its end and compare it with the whole one."""
        from motiform.record import compare, open_recording

        code, said = end(start(name, out, "--resume"))
        if code:
            self.tell(fault, f"{name}: resuming ended with {code}: {said[-300:]}")
        elif not compare(open_recording(out), open_recording(self.whole(name)[0])).identical:
            self.tell(fault, f"{name}: the resumed run has other bits")
        shutil.rmtree(out, ignore_errors=True)

    def check_open(self, fault: str, out: Path) -> int:
        """Open what a fault left, and return how many samples it has."""
        from motiform.base.errors import MotiformError
        from motiform.record import open_recording
        from motiform.record.store import check_whole

        if not out.exists():
            return 0
        try:
            rec = open_recording(out)
            check_whole(rec)
        except MotiformError as error:
            self.tell(fault, f"{out.name} cannot be read: {error}")
            return 0
        return rec.count(rec.names[0])


def is_complete(out: Path) -> bool:
    """Whether a recording is whole."""
    import motiform as mf

    return bool(mf.open_recording(out).complete)


# ---------------------------------------------------------------- faults
def kills(bench: Bench, count: int) -> None:
    """Kill runs at any instant, some of them several times, and resume them."""
    names = list(RUNS)
    for n in range(count):
        name = names[n % len(names)]
        _, seconds = bench.whole(name)
        out = bench.folder / f"killed-{n}.mf"
        process = start(name, out, *(["--resume"] if out.exists() else []))
        time.sleep(bench.draw.uniform(0.3, 1.0) * seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        bench.count("kill -9")
        bench.check_open("kill -9", out)
        bench.finish("kill -9", name, out)


def signals(bench: Bench, count: int) -> None:
    """Stop runs by signals: what they have is committed, the code is the signal's, and they go on to the same bits."""
    for n in range(max(3, count // 20)):
        sent = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[n % 3]
        name = list(RUNS)[n % len(RUNS)]
        _, seconds = bench.whole(name)
        out = bench.folder / f"stopped-{n}.mf"
        process = start(name, out)
        time.sleep(bench.draw.uniform(0.6, 0.95) * seconds)
        process.send_signal(sent)
        code, said = end(process)
        bench.count(sent.name)
        # by the signal itself: before the run began, Python was starting; after its end, it was leaving
        outside = code == -sent and (not out.exists() or is_complete(out))
        if code not in (128 + sent, 0) and not outside:
            bench.tell(sent.name, f"{name} ended with {code}: {said[-300:]}")
        bench.check_open(sent.name, out)
        bench.finish(sent.name, name, out)


def writers(bench: Bench, count: int) -> None:
    """Start two runs that write one recording: one of them is refused, the other is whole."""
    from motiform.record import compare, open_recording

    for n in range(max(1, count // 100)):
        name = list(RUNS)[n % len(RUNS)]
        out = bench.folder / f"both-{n}.mf"
        codes = [end(one) for one in [start(name, out), start(name, out)]]
        bench.count("two writers")
        if sorted(code for code, _ in codes) not in ([0, 0], [0, 2]):
            bench.tell("two writers", f"{name}: {codes}")
        elif not compare(open_recording(out), open_recording(bench.whole(name)[0])).identical:
            bench.tell("two writers", f"{name}: other bits")
        shutil.rmtree(out, ignore_errors=True)


def _limited(kind: str, size: int) -> Callable[[], None]:
    def before() -> None:
        import resource

        resource.setrlimit(getattr(resource, kind), (size, size))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    return before


def hindered(bench: Bench, count: int) -> None:
    """Run where files may not grow, no descriptors are left, or the output is full: an error, and nothing damaged."""
    hindrances = {
        "full disk": ("RLIMIT_FSIZE", (1000, 20_000, 100_000)),
        "no descriptors": ("RLIMIT_NOFILE", (8, 12, 20)),
    }
    for fault, (kind, sizes) in hindrances.items():
        for n, size in enumerate(sizes):
            name, out = list(RUNS)[n], bench.folder / f"hindered-{n}.mf"
            code, said = end(start(name, out, before=_limited(kind, size)))
            bench.count(fault)
            if code not in (0, 1, 2) or "Traceback" in said:
                bench.tell(fault, f"{name} with {size} ended with {code}: {said[-300:]}")
            bench.check_open(fault, out)
            if out.exists():
                bench.finish(fault, name, out)
    if Path("/dev/full").exists():
        main = "from motiform.cli import main; main()"
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.Popen(
                [sys.executable, "-c", main, "list"], stdout=full, stderr=subprocess.PIPE, text=True
            )
            code, said = end(process)
        bench.count("full output")
        if code != 1 or "Traceback" in said:
            bench.tell("full output", f"ended with {code}: {said[-300:]}")


def caches(bench: Bench, count: int) -> None:
    """Damage machine code in random ways, and let processes compile at once: the same bits."""
    from motiform.record import compare, open_recording

    name = "figure"
    cache = bench.folder / "cache"
    outs = [bench.folder / f"compiled-{n}.mf" for n in range(3)]
    ended = [end(one) for one in [start(name, out, MOTIFORM_CACHE=str(cache)) for out in outs]]
    bench.count("three compile at once")
    for (code, said), out in zip(ended, outs, strict=True):
        if code or not compare(open_recording(out), open_recording(bench.whole(name)[0])).identical:
            bench.tell("three compile at once", f"ended with {code}, or other bits: {said[-300:]}")
    for n in range(max(2, count // 50)):
        files = sorted(path for path in cache.rglob("*.nb[ic]"))
        for file in bench.draw.sample(files, min(len(files), 5)):
            data = file.read_bytes()
            k = bench.draw.randrange(max(1, len(data)))
            flipped = data[:k] + bytes([data[k] ^ 1 << bench.draw.randrange(8)]) + data[k + 1 :] if data else b"x"
            file.write_bytes(bench.draw.choice((b"", data[:k], flipped, bench.draw.randbytes(len(data)))))
        out = bench.folder / f"damaged-{n}.mf"
        code, said = end(start(name, out, MOTIFORM_CACHE=str(cache)))
        bench.count("damaged cache")
        if code or not compare(open_recording(out), open_recording(bench.whole(name)[0])).identical:
            bench.tell("damaged cache", f"ended with {code}, or other bits: {said[-300:]}")
        shutil.rmtree(out, ignore_errors=True)


def early_signals(bench: Bench, count: int) -> None:
    """Send Ctrl-C while Python starts, imports and compiles: the process ends by it, and soon."""
    name = "figure"
    _, seconds = bench.whole(name)
    for n in range(max(3, count // 20)):
        out = bench.folder / f"early-{n}.mf"
        process = start(name, out)
        time.sleep(bench.draw.uniform(0.02, 0.6) * seconds)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        code, said = end(process)
        late = time.monotonic() - begun
        bench.count("SIGINT while it starts")
        if code not in (128 + signal.SIGINT, -signal.SIGINT) or late > max(10.0, seconds):
            bench.tell("SIGINT while it starts", f"ended with {code} after {late:.1f} s: {said[-300:]}")
        bench.check_open("SIGINT while it starts", out)
        shutil.rmtree(out, ignore_errors=True)


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
        bench.tell("study", f"{found}")
    if len(found["told"]) != 2 or not any("must have workers" in text for text in found["told"]):
        bench.tell("study", f"its end was not told: {found['told']}")


FAULTS: dict[str, Callable[[Bench, int], None]] = {
    "kills": kills, "signals": signals, "early signals": early_signals, "writers": writers,
    "hindered": hindered, "caches": caches, "studies": studies,
}  # fmt: skip


def soak(count: int, seed: int, faults: list[str]) -> Bench:
    """Do faults and return their counts."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        bench = Bench(Path(folder), seed)
        for name in faults:
            FAULTS[name](bench, count)
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
        print(json.dumps({"seed": given.seed, "done": bench.done, "wrong": bench.wrong}, indent=1))
    else:
        for line in _lines(bench):
            print(line)
    sys.exit(bool(bench.wrong))


def _lines(bench: Bench) -> Iterator[str]:
    for fault, count in bench.done.items():
        yield f"{count:6} {fault}"
    yield from bench.wrong
    yield f"{sum(bench.done.values())} faults, {len(bench.wrong)} wrong"


sys.path.insert(0, str(Path(__file__).parents[1]))  # where workers find what they run

if __name__ == "__main__":
    main()
