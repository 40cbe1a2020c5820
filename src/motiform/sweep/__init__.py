"""Many runs at once: by processes of this machine, or over a Dask cluster."""

from motiform.sweep.backend import Result, cores, run_tasks

__all__ = ["Result", "cores", "run_tasks"]
