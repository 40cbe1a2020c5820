"""Runs of one system with `Options`, without the manifest and the looks that `simulate` adds."""

from motiform.motion.bodies.system import BodiesSystem
from motiform.motion.coupled import FigureInMatter
from motiform.motion.coupled.system import CoupledSystem
from motiform.motion.matter.system import NetworkSystem
from motiform.motion.run import record
from motiform.motion.tree.system import FigureSystem

KEEP = ("out", "manifest", "statics", "overwrite", "resume", "progress")


def _run(system, model, options, given):
    keep = {name: given.pop(name) for name in KEEP if name in given}
    return record(system(model, options, **given), **keep)


def simulate_bodies(model, options, **given):
    return _run(BodiesSystem, model, options, given)


def simulate_figure(figure, options, **given):
    return _run(FigureSystem, figure, options, given)


def simulate_network(network, options, **given):
    return _run(NetworkSystem, network, options, given)


def simulate_coupled(network, figure, options, *, contacts=(), attachments=(), reaction=True, **given):
    return _run(CoupledSystem, FigureInMatter(figure, network, contacts, attachments, reaction), options, given)
