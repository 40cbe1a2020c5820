"""Looks: how the channels of a recording are drawn. A class for each way, whose fields are keys of a manifest."""

from motiform.form.looks.balls import BallsLook
from motiform.form.looks.bone import RestSegment
from motiform.form.looks.cloud import CloudLook
from motiform.form.looks.color import ColorBy
from motiform.form.looks.heights import HeightsLook
from motiform.form.looks.links import HideBy, LinksLook
from motiform.form.looks.looks import Looks, looks_in
from motiform.form.looks.points import LinesLook, PointsLook
from motiform.form.looks.shape import ShapeLook
from motiform.form.looks.skin import SkinLook
from motiform.form.looks.spline import SplineLook
from motiform.form.looks.spring import SpringLook
from motiform.form.looks.surface import LevelLook, SurfaceLook

__all__ = [
    "BallsLook", "CloudLook", "ColorBy", "HeightsLook", "HideBy", "LevelLook", "LinesLook", "LinksLook", "Looks",
    "PointsLook", "RestSegment", "ShapeLook", "SkinLook", "SplineLook", "SpringLook", "SurfaceLook", "looks_in",
]  # fmt: skip
