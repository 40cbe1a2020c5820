"""Simulation of networks: a model in, a recording out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.progress import Progress
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.run import Options
from motiform.motion.run.sampling import Pace, begin_recorder
from motiform.record import Channel, Recorder, Recording

__all__ = ["check_functions", "check_stability", "describe", "record_run", "simulate_network", "steps_per_sample"]


def steps_per_sample(network: Network, rate: float) -> int:
    """Return the whole number of steps from one sample to the next."""
    steps = round(network.rate / rate)
    if steps < 1 or abs(steps * rate - network.rate) > 1e-9 * network.rate:
        fits = [network.rate / n for n in range(max(1, steps - 1), steps + 2)]
        raise InputError(
            "samples must fall on steps of the network", got=f"{rate:g} Hz at {network.rate:g} steps a second",
            allowed="a rate that divides the steps", remedy=f"Take {' or '.join(f'{f:g}' for f in fits)} Hz.",
        )  # fmt: skip
    return steps


def simulate_network(
    network: Network,
    options: Options,
    *,
    unstable: bool = False,
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a network and return the recording, in memory or, with `out`, on disk.

    Parameters that would make it diverge are refused before the first step, with the remedy; `unstable` runs them all
    the same.
    """
    if options.integrator != "centred":
        raise InputError("integrator of a network", got=options.integrator, allowed="'centred'")
    steps = steps_per_sample(network, options.rate)
    check_functions(network)
    told = check_stability(network, unstable)
    named = {**(manifest or {}), "network": describe(network), "stability": told}

    def begin(kept: dict[str, Any] | None) -> Engine:
        device = options.device
        return Engine(network, device=device) if kept is None else Engine.resume(network, kept, device=device)

    channels = network_channels(network, options.rate)
    return record_run(
        begin, observe_network, channels, options, steps, out=out, manifest=named, statics=statics,
        overwrite=overwrite, resume=resume, progress=progress,
    )  # fmt: skip


def record_run(
    begin: Callable[[dict[str, Any] | None], Any],
    observe: Callable[[Any], dict[str, np.ndarray]],
    channels: list[Channel],
    options: Options,
    steps: int,
    *,
    out: str | Path | None,
    manifest: dict[str, Any],
    statics: dict[str, np.ndarray] | None,
    overwrite: bool,
    resume: bool,
    progress: Progress | None,
) -> Recording:
    """Run an engine, begun anew or from a checkpoint, and record what is observed of it."""
    if options.device != "cpu":
        from motiform.base.kernels import get_device

        get_device(options.device)  # one that is not there is told before a recording is begun
    recorder = begin_recorder(
        out, channels, options.samples, manifest=manifest, statics=statics, overwrite=overwrite, resume=resume
    )
    with recorder:
        kept = recorder.checkpoint
        engine = begin(kept)
        if kept is None:
            recorder.append({key: value[None] for key, value in observe(engine).items()})
            recorder.commit(engine.checkpoint)
        march(engine, recorder, options, steps, progress, observe)
        return recorder.finish()


def march(
    engine: Any,
    recorder: Recorder,
    options: Options,
    steps: int,
    progress: Progress | None,
    observe: Callable[[Any], dict[str, np.ndarray]],
) -> None:
    """Advance an engine from sample to sample and record them; a run that diverges keeps what came before."""
    pace = Pace(max(1, 6 * engine.network.count))
    kept: list[dict[str, np.ndarray]] = []
    last = (options.samples - 1) * steps

    def hand_on() -> None:
        if kept:
            recorder.append({key: np.stack([one[key] for one in kept]) for key in kept[0]})
            kept.clear()

    while engine.sample < last:
        try:
            engine.advance(steps)
        except RunError:
            hand_on()
            raise
        kept.append(observe(engine))
        if pace.full(len(kept)) or engine.sample >= last:
            hand_on()
            recorder.commit(engine.checkpoint)
            if progress is not None:
                progress(min(1.0, engine.sample / last))


def check_functions(network: Network) -> None:
    """Ask the functions of a network once, at its start: what they give wrong is told before a recording is begun."""
    from motiform.motion.matter.model.solids import asked_pose

    for group in network.groups:
        if group.motion is not None:
            group.motion.at(0, network.rate, group.count, spread=False)
    for pushed in network.inputs:
        pushed.signal.at(0, network.rate, len(pushed.points))
    network.wind.at(0, network.rate, 1)
    for solid in network.solids:
        if solid.motion is not None:
            asked_pose(solid, 0.0)


def check_stability(network: Network, unstable: bool) -> dict[str, Any]:
    """Refuse a network that would diverge, unless told to run it; return what is told of it."""
    from motiform.motion.matter.stability.assessment import assess_network

    found = assess_network(network)
    if not unstable:
        found.check()
    return found.to_dict()


def describe(network: Network) -> dict[str, Any]:
    """Return what a network is made of, in few words, for a recording's manifest."""
    return {
        "rate": network.rate,
        "groups": {group.name: {"kind": group.kind, "points": group.count} for group in network.groups},
        "links": {bundle.name: {"law": bundle.law.name, "links": bundle.count} for bundle in network.bundles},
        "reaches": {reach.name: {"law": reach.law.name, "points": len(reach.points)} for reach in network.reaches},
        "solids": [solid.name for solid in network.solids],
    }
