"""Which pulses swing a leg up?
============================

Pulses to the quadriceps swing a hanging shank up. The highest point of the swing grows with the intensity of the
pulses, so halving finds the intensity that brings it to a flexion of 40 degrees.

Checks: the target is reached to half a degree; muscles pull and do not push.
"""

import numpy as np
from matplotlib.figure import Figure

import motiform as mf

TARGET = np.radians(40)


def swing(intensity):
    return mf.simulate("fes-swing-up", settings={"figure.leg.stimulation.train.0.intensity": intensity})


low, high = 0.3, 1.0
for _ in range(7):
    middle = 0.5 * (low + high)
    rec = swing(middle)
    low, high = (low, middle) if rec["q"].min() < TARGET else (middle, high)
print(f"intensity {middle:.3f}: highest point at {np.degrees(rec['q'].min()):.2f}°")
assert abs(np.degrees(rec["q"].min() - TARGET)) < 0.5
assert rec["stimulation.force"].min() > -1e-9

# %%
# Calcium, the forces of both muscles and the flexion.

page = Figure(figsize=(7, 5), layout="constrained")
axes = page.subplots(3, 1, sharex=True)
t = rec.time("q")
axes[0].plot(t, rec["stimulation.calcium"][:, 0])
axes[0].set_ylabel("calcium [1/s]")
axes[1].plot(t, rec["stimulation.force"], label=["quadriceps", "hamstrings"])
axes[1].set_ylabel("force [N]")
axes[1].legend()
axes[2].plot(t, np.degrees(rec["q"]))
axes[2].axhline(np.degrees(TARGET), color="0.6")
axes[2].set(ylabel="flexion [°]", xlabel="time [s]")
