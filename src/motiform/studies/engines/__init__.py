"""One function over many tasks: by processes of this machine, or over a Dask cluster."""

from motiform.studies.engines.backend import Result, cores, run_tasks

__all__ = ["Result", "cores", "run_tasks"]
