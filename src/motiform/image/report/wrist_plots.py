"""Plots of a wrist as PNG bytes: turns of its bones, contact forces and tensions over the bending of the hand."""

from typing import Any

import numpy as np

from motiform.image.report.plots import blank, png_of, quiet
from motiform.image.report.wrist_values import Bends
from motiform.image.style import COLORS, DASHES

__all__ = ["force_plot", "rotation_plot"]

_CURVES = 8


def _families(bends: Bends) -> list[tuple[str, int, Any]]:
    """Return the bendings that there are: axis title, component, samples in order of it."""
    bent, turned = bends.hand.T
    still = np.linalg.norm(bends.hand, axis=1) < np.deg2rad(1.0)
    found = []
    for title, k, own in (("flexion of the hand [°]", 0, np.abs(bent) >= np.abs(turned)),
                          ("ulnar deviation of the hand [°]", 1, np.abs(turned) > np.abs(bent))):  # fmt: skip
        chosen = np.flatnonzero(own | still)
        if (own & ~still).any():
            found.append((title, k, chosen[np.argsort(bends.hand[chosen, k], kind="stable")]))
    return found or [("flexion of the hand [°]", 0, np.arange(len(bent)))]


def _panels(bends: Bends, height: float, top: float = 0.96) -> tuple[Any, list[Any]]:
    families = _families(bends)
    page = blank(height)
    page.subplots_adjust(0.06, 0.16, 0.99, top, wspace=0.15)
    shown = list(np.atleast_1d(page.subplots(1, len(families))))
    for axes, (title, _, _) in zip(shown, families, strict=True):
        quiet(axes)
        axes.set_xlabel(title, fontsize=8)
    return page, list(zip(shown, families, strict=True))


def rotation_plot(bends: Bends) -> bytes:
    """Return how far bones have turned about the axis in which the hand is bent [deg]."""
    page, panels = _panels(bends, 3.2, top=0.9)
    for axes, (_, k, chosen) in panels:
        hand = np.rad2deg(bends.hand[chosen, k])
        axes.plot(hand, hand, color="#c9ced4", linewidth=1.0, label="hand")
        for n, bone in enumerate(("scaphoid", "lunate", "triquetrum")):
            if bone in bends.bones:
                turn = np.rad2deg(bends.vectors(bone)[chosen])
                axes.plot(hand, turn[:, k], color=COLORS[n], label=bone, marker=".", markersize=4)
                if k == 1:
                    axes.plot(hand, turn[:, 0], color=COLORS[n], linestyle="--")
        if k == 1:
            axes.plot([], [], color="#6b7280", linestyle="--", label="their flexion")
        axes.set_ylabel("turn of the bone [°]", fontsize=8)
        axes.legend(
            fontsize=7, frameon=False, ncols=5, columnspacing=1.2, loc="lower center", bbox_to_anchor=(0.5, 0.99)
        )
    return png_of(page)


def force_plot(bends: Bends, channel: str, label: str, title: str) -> bytes:
    """Return the largest columns of a channel over the bending of the hand."""
    page, panels = _panels(bends, 3.0)
    values, names = np.asarray(bends.rec[channel]), bends.rec.manifest["labels"][label]
    for axes, (_, k, chosen) in panels:
        most = values[chosen].max(axis=0)
        for n, column in enumerate(np.argsort(-most, kind="stable")[:_CURVES]):
            if most[column] > 0:
                axes.plot(np.rad2deg(bends.hand[chosen, k]), values[chosen, column], color=COLORS[n % len(COLORS)],
                          linestyle=DASHES[n % len(DASHES)], label=names[column].replace("_", " "))  # fmt: skip
        axes.set_ylabel(title, fontsize=8)
        axes.set_ylim(bottom=0)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=6.5, frameon=False)
    return png_of(page)
