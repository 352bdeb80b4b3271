"""docs/compatibility.md is what the code says of itself."""
import importlib
import os
import re
import subprocess
import sys

import pytest

from legacy_towers.compat import keras, tf, versions
from legacy_towers.oldtf import table

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(CHECKOUT, "docs", "compatibility.md")
COMMAND = "python -m legacy_towers.oldtf.table docs/compatibility.md"


def committed():
    with open(PATH, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("room", sorted(set(table._ROOMS)))
def test_rows_are_in_the_table(room):
    text = committed()
    rows = importlib.import_module("legacy_towers.oldtf.{}.provides".format(room)).ROWS
    assert [row.name for row in rows if "| {} |".format(table._code(row.name)) not in text] == [], COMMAND


def test_cells_stay_cells():
    for line in committed().splitlines():
        if line.startswith("|"):
            assert line.endswith("|") and len(re.findall(r" \| ", line)) in (1, 3, 4), line


@pytest.mark.slow
def test_the_table_is_what_the_generator_gives(tmp_path):
    if versions.parse(tf.__version__).pair != versions.NEWEST or keras.problem(versions.parse(tf.__version__)):
        pytest.skip("the table is of the newest TensorFlow, with tf_keras")
    pytest.importorskip("tensorflow_probability")
    tests = os.path.join(CHECKOUT, "tests", "oldtf")
    # In a process of its own: what other tests have imported would be found too.
    subprocess.run(
        [sys.executable, "-m", "legacy_towers.oldtf.table", "page.md", "--tests", tests], cwd=str(tmp_path), check=True
    )
    assert (tmp_path / "page.md").read_text(encoding="utf-8").splitlines() == committed().splitlines(), COMMAND
