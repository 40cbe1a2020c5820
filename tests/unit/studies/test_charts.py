"""Plots suit the design: curves, heat maps, levels, main effects."""

import numpy as np

from motiform.image.report.chart import Curve, Heat, Signs, svg
from motiform.studies.charts import StudyColumns, study_charts

A, B = [1.0, 1.0, 2.0, 2.0, 4.0, 4.0], [10, 20, 10, 20, 10, 20]
Y = np.array([1.0, 2.0, 3.0, 4.0, np.nan, 6.0])


def items(chart, kind):
    return [one for panel in chart.panels for one in panel.items if isinstance(one, kind)]


def test_one_number_is_a_curve_sorted_by_it():
    (chart,) = study_charts(StudyColumns({"a": [3.0, 1.0, 2.5], "fixed": [1, 1, 1]}, {"y": np.array([9.0, 1.0, 4.0])}))
    (curve,) = items(chart, Curve)
    assert curve.x.tolist() == [1.0, 2.5, 3.0]
    assert curve.y.tolist() == [1.0, 4.0, 9.0]


def test_a_number_and_a_name_are_a_curve_for_each_name():
    columns = StudyColumns({"n": ["p", "q"] * 3, "a": A}, {"y": Y, "none": np.full(6, np.nan)}, units={"y": "m"})
    (chart,) = study_charts(columns)
    assert [curve.label for curve in items(chart, Curve)] == ["p", "q"]
    assert [panel.title for panel in chart.panels] == ["y [m]"]  # nothing is drawn of what is nan alone
    assert chart.panels[0].xlog  # each value is twice the one before
    np.testing.assert_allclose(items(chart, Curve)[0].x, np.log10([1, 2, 4]))


def test_two_numbers_are_a_heat_map_with_the_largest_at_the_top():
    (chart,) = study_charts(StudyColumns({"a": A, "b": B}, {"y": Y}))
    (heat,) = items(chart, Heat)
    assert heat.rows == ["20", "10"]
    assert heat.columns == ["1", "2", "4"]
    np.testing.assert_array_equal(heat.values, [[2.0, 4.0, 6.0], [1.0, 3.0, np.nan]])
    assert (heat.least, heat.most) == (1.0, 6.0)
    assert "<image" in str(svg(chart))


def test_a_constant_measure_has_colours():
    (chart,) = study_charts(StudyColumns({"a": A, "b": B}, {"y": np.zeros(6)}))
    assert np.isfinite(items(chart, Heat)[0].parts).all()


def test_more_parameters_are_main_effects():
    columns = StudyColumns({"a": A, "b": B, "n": ["p"] * 3 + ["q"] * 3}, {"y": Y})
    (chart,) = study_charts(columns)
    assert [panel.xlabel for panel in chart.panels] == ["a", "b", "n"]
    effect = items(chart, Curve)[1]  # of b: means over what is known
    assert effect.x.tolist() == [10.0, 20.0]
    assert effect.y.tolist() == [2.0, 4.0]
    assert chart.panels[2].xnames == ["p", "q"]
    diamonds = items(chart, Signs)[-1]
    assert np.asarray(diamonds.y).tolist() == [2.0, 5.0]


def test_samples_are_averaged_in_bins_of_as_many_cases():
    x = np.linspace(0.0, 1.0, 64)
    columns = StudyColumns({"a": x.tolist(), "b": x[::-1].tolist()}, {"y": 2 * x}, frozenset(("a", "b")))
    (chart,) = study_charts(columns)
    curve = items(chart, Curve)[0]
    assert len(curve.x) == 8
    np.testing.assert_allclose(curve.y, 2 * curve.x, rtol=1e-14)


def test_nothing_to_draw():
    assert study_charts(StudyColumns({"a": [1, 1]}, {"y": np.ones(2)})) == []
    assert study_charts(StudyColumns({"a": [1, 2]}, {})) == []
