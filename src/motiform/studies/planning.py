"""The plan of a study: all that can be wrong is found before the first run."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from motiform.base.digest import Digest
from motiform.base.errors import InputError, MotiformError, MotiformWarning, closest
from motiform.record.files import AnyPath
from motiform.studies.case import KEEP
from motiform.studies.constraints import parse_constraint
from motiform.studies.design import StudyDesign, make_design
from motiform.studies.folder import StudyIdentity
from motiform.studies.measures import CaseMeasure, check_channels, parse_measures
from motiform.studies.models import FunctionModel, StudyModel, study_model
from motiform.studies.table import TableColumns

__all__ = ["KEEP_ALL", "StudyPlan", "plan_study"]

KEEP_ALL = 1000
"""Cases up to which all recordings are kept where nothing is said; of larger studies those of failed cases."""
_TRIED = 8  # cases that are built to find the channels of recordings


@dataclass(frozen=True)
class StudyPlan:
    """What a study runs and measures; checked."""

    title: str
    model: StudyModel
    design: StudyDesign
    measures: tuple[CaseMeasure, ...]
    keys: list[str | None]
    """What each case is known by; None: a constraint skips it."""
    keep: str
    units: Mapping[str, str]
    """Of parameters and measures, where they are known."""

    @property
    def columns(self) -> TableColumns:
        """The columns of its table."""
        return TableColumns(self.design.names, {measure.name: measure.key for measure in self.measures})

    @property
    def identity(self) -> StudyIdentity:
        """What a kept study is compared with it by."""
        design = Digest(*(key or "" for key in self.keys)).text(24)
        columns = self.columns
        return StudyIdentity(
            self.model.key, self.title, list(columns.parameters), design, dict(columns.measures), self.keep
        )


def plan_study(
    model: Any, parameters: Mapping[str, Any], *, measures: Mapping[str, Any] | None, zipped: Sequence[Sequence[str]],
    sample: Mapping[str, Any] | None, cases: AnyPath | None, constraints: Sequence[str],
    settings: Mapping[str, Any] | None, keep: str | None, folder: Path | None, title: str | None,
) -> StudyPlan:  # fmt: skip
    """Return the plan of a study; its arguments are those of `motiform.study`."""
    chosen = study_model(model, settings, folder)
    design = make_design(parameters, zipped=zipped, sample=sample, cases=cases, folder=chosen.folder)
    chosen.check(design)
    asked = parse_measures(measures, folder)
    keys = _keys(chosen, design, constraints)
    plan = StudyPlan(title or chosen.title, chosen, design, asked, keys, _keep(keep, len(design)), {})
    plan.columns.check()
    return replace(plan, units=chosen.units(design.names) | _units(plan))


def _keys(model: StudyModel, design: StudyDesign, constraints: Sequence[str]) -> list[str | None]:
    """Return what each case is known by, None where it breaks a constraint."""
    if isinstance(constraints, str):
        raise InputError("constraints must be a list of texts", got=constraints, allowed='["a < b"]')
    rules = [parse_constraint(text, design.names) for text in constraints]
    keys = [model.case_key(case) if all(rule.holds(case) for rule in rules) else None for case in design]
    if all(key is None for key in keys):
        raise InputError(
            "constraints must leave a case", got=", ".join(constraints), allowed="fewer that exclude cases"
        )
    return keys


def _keep(keep: str | None, count: int) -> str:
    if keep is None:
        return "all" if count <= KEEP_ALL else "failed"
    if keep not in KEEP:
        raise InputError("no such choice of recordings", where="keep", got=str(keep), allowed=", ".join(KEEP),
                         remedy=closest(keep, KEEP))  # fmt: skip
    return keep


def _units(plan: StudyPlan) -> dict[str, str]:
    """Return the units of measures; refuse those that the first case which can be built would not have."""
    if isinstance(plan.model, FunctionModel) or not any(measure.needs for measure in plan.measures):
        return {}
    for number in [number for number, key in enumerate(plan.keys) if key is not None][:_TRIED]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MotiformWarning)  # the runs tell
                planned = plan.model.planned(plan.design[number])
        except MotiformError:  # its row will tell
            continue
        return check_channels(plan.measures, planned)
    return {}
