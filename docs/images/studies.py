"""Make studies.png: the plot of the built-in study of orders, as on its page."""

from pathlib import Path
from tempfile import mkdtemp

import motiform as mf
from motiform.image.report.print_chart import chart_picture
from motiform.studies.charts import study_charts
from motiform.studies.files import read_study
from motiform.studies.page import read_columns

HERE = Path(__file__).parent


def main() -> None:
    """Run the study and draw its chart."""
    found = read_study("orders")
    done = mf.study(found.model, **found.arguments, out=Path(mkdtemp()) / "orders", jobs=1)
    (chart,) = study_charts(read_columns(done))
    (HERE / "studies.png").write_bytes(chart_picture(chart).png)


if __name__ == "__main__":
    main()
