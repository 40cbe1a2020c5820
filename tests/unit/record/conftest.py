import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for walker


@pytest.fixture
def quick_path():
    from walker import quick_folder

    with quick_folder() as folder:
        yield Path(folder)
