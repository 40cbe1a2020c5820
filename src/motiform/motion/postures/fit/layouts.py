"""Arrays that the kernels of the fit take together. Columns are the velocities in the order of the tree."""

from motiform.base.layouts import Floats, Floats2, Floats4, Ints, Ints2, NamedTuple, Rows

__all__ = ["FitOutput", "FitProblem", "FitWorkspace", "Search"]


class FitProblem(NamedTuple):
    """A packed figure, its tags and their markers."""

    ints: Ints
    floats: Floats
    tags: Ints
    """Segments of the tags."""
    points: Floats
    """Places of the tags in their segments [m], three each."""
    weights: Rows
    """(tags, samples or 1)"""
    markers: Rows
    """(3 tags, samples) [m]"""
    couplings: Ints2
    """Column and place in q of the dependent and of the leading coordinate, and where the function begins."""
    functions: Floats
    bounds: Floats2
    """Least, most and weight of its task [m²/rad²], of each column."""
    goals: Rows
    """Value of the task of each column, (columns, samples or 1)."""
    before: Ints
    """The column before each, −1 at a root."""


class Search(NamedTuple):
    """Where samples begin and what is tried."""

    aims: Rows
    """Where a sample goes along free directions, (nq, samples or 1)."""
    plain: Ints
    gone: Ints
    """1 where a column does not move."""
    options: Floats
    order: Ints
    starts: Ints
    begin: Rows
    rounding: Floats
    """Root of the mean square rounding of tags and markers of each sample [m]."""


class FitWorkspace(NamedTuple):
    """Workspace, a column or row for each block."""

    q: Rows
    begun: Rows
    trial: Rows
    v: Rows
    rate: Rows
    work: Rows
    matrices: Floats4
    vectors: Floats2
    stuck: Ints2


class FitOutput(NamedTuple):
    """What is found of each sample."""

    q: Rows
    inverse: Rows
    """Diagonal of the inverse of the normal matrix, in the order of v."""
    report: Floats2
    """Cost, weight, iterations, status."""
