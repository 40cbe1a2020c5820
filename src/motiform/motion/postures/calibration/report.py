"""Tables of a calibration as text."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from motiform.motion.postures.calibration.calibrate import Calibration

__all__ = ["report"]


def report(found: "Calibration") -> str:
    """Return what was changed, by how much, how well it is known, and the errors of each tag."""
    whole = f"all{'':21}{1e3 * found.error_before:8.2f}{1e3 * found.error_after:8.2f}"
    state = "settled" if found.settled else "NOT settled"
    head = [
        f"{len(found.q)} samples ({int(found.static.sum())} of a static trial), {found.iterations} iterations, {state}",
        f"marker_sd {1e3 * found.marker_sd:.2f} mm, variance of residuals over it {found.variance:.3g}",
    ]
    return "\n".join([*head, "", *_lengths(found), "", *_tags(found), whole])


def _lengths(found: "Calibration") -> list[str]:
    if not found.lengths:
        return ["no length was free"]
    lines = [f"{'length':<24}{'before':>9}{'after':>9}{'change':>9}{'std':>9}{'determined':>12}"]
    for name, value in found.lengths.items():
        old = found.before[name]
        change, determined = 100 * (value / old - 1), 100 * found.determined[name]
        lines.append(f"{name:<24}{old:9.4f}{value:9.4f}{change:+8.1f}%{found.std[name]:9.4f}{determined:11.0f}%")
    return lines


def _tags(found: "Calibration") -> list[str]:
    lines = [f"{'tag':<24}{'before':>8}{'after':>8}{'shift x':>9}{'y':>7}{'z':>7}{'std':>7}{'determined':>12}   [mm]"]
    for name, (before, after) in found.tag_errors.items():
        line = f"{name:<24}{1e3 * before:8.2f}{1e3 * after:8.2f}"
        if name in found.tag_offsets:
            x, y, z = 1e3 * found.tag_offsets[name]
            std, determined = 1e3 * np.max(found.std[name]), 100 * np.mean(found.determined[name])
            line += f"{x:+9.1f}{y:+7.1f}{z:+7.1f}{std:7.1f}{determined:11.0f}%"
        lines.append(line)
    return lines
