"""Studies: many runs as one thing, on one machine or a cluster."""

from motiform.studies.engines import Result, cores, run_tasks

__all__ = ["Result", "cores", "run_tasks"]
