"""Studies: many runs as one thing, on one machine or a cluster."""

from motiform.studies.conduct import study
from motiform.studies.engines import Result, cores, run_tasks
from motiform.studies.result import Study

__all__ = ["Result", "Study", "cores", "run_tasks", "study"]
