"""When may a heavy marker ignore the cell under it?
=================================================

A marker of 1 kg is driven by a force that oscillates at 5 Hz. Under it, always in contact, is a cell: a mass m on a
spring and a damper. The marker drives the cell if it may be simulated alone, and the cell afterwards from its
recording. The resulting error is the influence of the cell on the marker, the modulus of the ratio Y_B/Y_A of
impedances F/V [Habibi97 3.23]: it decreases with m, but not at all frequencies. At low frequencies the spring of even
the lightest cell holds the marker, at high frequencies its inertia does.

So the duration T of the run matters. The thesis requires less than π√(M/k) [Habibi97 3.37], which is 1.0, 3.1, 9.9 and
31 s for the four cells here. Runs of 2 s, coupled and cut, differ by 189, 83, 7.3 and 0.71 %. A marker that is pushed
from rest does not only oscillate, it is also displaced, and this displacement causes the error k T²/(2√5 M): below a
tenth for runs 4.7 times shorter than the thesis allows. With a band that starts at the frequency 0.34/T of equal error,
at the end of the grey interval, the verdict is right for all four cells.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform.image import show_pictures
from motiform.image.coupling_plots import plot_impedances
from motiform.motion.matter import NetworkBuilder, links
from motiform.motion.matter.coupling import Band, MarkerOnCell, Port, advise, compare_runs, cut_network

STEP, DURATION = 1 / 1050, 2.0  # s
CELLS = {0.1: 1.89, 0.01: 0.83, 1e-3: 0.073, 1e-4: 0.0071}  # kg, and the errors that another program gave
BAND = Band.from_rest(DURATION, 20.0)


def network(m):
    b = NetworkBuilder(gravity=(0, 0, 0))
    ground = b.fixed("ground", [0, 0, 0])
    marker, cell = b.masses("marker", [0, 0, 0.1], 1.0, axes="x"), b.masses("cell", [0, 0, 0], m, axes="x")
    b.link("contact", (marker, cell), links.spring(0.3 * m / STEP**2, damping=0.3 * m / STEP), axis="x")
    b.link("tie", (cell, ground), links.spring(100 * m, damping=2 * m), axis="x")
    b.push("hand", marker, lambda t: (np.cos(10 * np.pi * t), 0, 0))
    return b.build()


def closed_form(m):
    contact = {"contact_stiffness": 0.3 * m / STEP**2, "contact_damping": 0.3 * m / STEP}
    return MarkerOnCell(marker_mass=1.0, cell_mass=m, cell_stiffness=100 * m, cell_damping=2 * m, **contact)


def main(quick=False):
    found = {}
    for m in CELLS:
        net, models = network(m), {"marker": "marker", "cell": "cell"}
        advice = advise(net, models, BAND, axes="x")
        cut = advice if advice.cuts else cut_network(net, models, [("marker", "cell")])  # cut it all the same
        found[m] = advice, compare_runs(net, cut, DURATION, rate=105.0 if quick else 1050.0)
    return found


def check(found):
    for m, (advice, runs) in found.items():
        error, foreseen = runs["marker"].error, advice.pairs[0].error_a
        assert abs(error / CELLS[m] - 1) < 0.01  # they are given to two or three digits
        assert (advice.pairs[0].verdict == "a drives b") == (error < 0.1) == (closed_form(m).longest > 4.7 * DURATION)
        assert abs(foreseen / error - 1) < 0.01  # samples are fewer than steps


def draw(found, folder):
    chart = Figure(figsize=(8.6, 4.6), layout="constrained")
    for axes, (m, (_, runs)) in zip(chart.subplots(2, 2, sharex=True, sharey=True).flat, found.items(), strict=True):
        for rec, style in ((runs.coupled, {"color": "#0072B2"}), (runs.cut, {"color": "#D55E00", "linestyle": "--"})):
            name = "coupled" if rec is runs.coupled else "marker alone"
            axes.plot(runs.times, 1e3 * rec["marker.position"][:, 0, 0], linewidth=1.2, label=name, **style)
        axes.set_title(f"m = {m:g} kg: error {runs['marker'].error:.3g}", fontsize=9.5, loc="left")
        axes.grid(alpha=0.25)
    chart.axes[0].legend(frameon=False, fontsize=8)
    chart.supxlabel("time [s]", fontsize=9)
    chart.supylabel("marker [mm]", fontsize=9)
    paths = [folder / "paths.png"]
    chart.savefig(paths[0], dpi=150)
    one, w = closed_form(1e-3), 2 * np.pi * np.geomspace(0.05, 500, 500)
    ports = Port(w, one.marker_impedance(w, STEP), np.ones(len(w))), Port(w, one.cell_impedance(w, STEP))
    lines = one.marker_asymptotes(w), one.cell_asymptotes(w)
    paths.append(folder / "impedances.png")
    plot_impedances(*ports, names=("marker", "cell"), band=BAND, asymptotes=lines, path=paths[-1])
    return paths


if __name__ == "__main__":
    result = main()
    check(result)
    print(*(text for _, (advice, runs) in result.items() for text in (advice, runs)), sep="\n")
    show_pictures(draw(result, Path(mkdtemp())))
