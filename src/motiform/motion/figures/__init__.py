"""Predefined figures: a human body, two walking robots, and a man on the frames of one of them."""

from motiform.motion.figures.anthropometry import TABLES, Anthropometry
from motiform.motion.figures.bip_figure import Bip, BipRecipe, bip
from motiform.motion.figures.human36_figure import Human36, Human36Recipe, human36
from motiform.motion.figures.human_figure import Human, HumanRecipe, human
from motiform.motion.figures.kondo_figure import Kondo, KondoRecipe, kondo
from motiform.motion.figures.register import FIGURES, ReadyFigure, ready_figure

__all__ = [
    "FIGURES", "TABLES", "Anthropometry", "Bip", "BipRecipe", "Human", "Human36", "Human36Recipe", "HumanRecipe",
    "Kondo", "KondoRecipe", "ReadyFigure", "bip", "human", "human36", "kondo", "ready_figure",
]  # fmt: skip
