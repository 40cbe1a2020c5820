"""The register of muscle models. The place of one in it is its number in kernels."""

from motiform.motion.actuation.muscles.curves.degroote import DeGrooteFregly
from motiform.motion.actuation.muscles.curves.millard import Millard
from motiform.motion.actuation.muscles.curves.model import CompiledModel
from motiform.motion.actuation.muscles.curves.thelen import Thelen

__all__ = ["DeGrooteFregly", "Millard", "Thelen"]

MODELS: dict[str, type[CompiledModel]] = {model.kind: model for model in (DeGrooteFregly, Thelen, Millard)}
