"""Many humans by MuJoCo's threaded rollout."""

from collections.abc import Callable

import numpy as np

from bench.hybrid.motion import RATE, STEP
from bench.hybrid.peers.mujoco import MujocoRun
from bench.many.cases import Crowd

__all__ = ["rollout"]


def rollout(crowd: Crowd) -> Callable[[], np.ndarray]:
    """Return a call that gives the configurations of all at the samples, (samples, copies, nq).

    Springs and dampers are those of its joints; steps between two samples are one call.
    """
    import mujoco as mj
    from mujoco.rollout import Rollout

    run = MujocoRun(crowd.way)
    run.check("humans")
    model, order, n = run.model, run.order, len(crowd.v0)
    start = np.zeros((n, mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS)))
    first_q, first_v = 1, 1 + model.nq  # after the time
    start[:, first_q + order] = crowd.way.figure.neutral()
    start[:, first_v + order] = crowd.v0
    efforts = np.zeros((1, 1, model.nv))
    efforts[0, 0, order] = crowd.way.tau
    together = round(1 / (RATE * STEP))
    datas = [mj.MjData(model) for _ in range(crowd.threads)]

    def call() -> np.ndarray:
        found, state = [start[:, first_q + order]], start
        with Rollout(nthread=crowd.threads) as pool:
            for _ in range(round(crowd.way.seconds * RATE)):
                states, _ = pool.rollout(
                    model, datas, state, efforts, control_spec=int(mj.mjtState.mjSTATE_QFRC_APPLIED), nstep=together
                )
                state = states[:, -1]
                found.append(state[:, first_q + order])
        return np.array(found)

    return call
