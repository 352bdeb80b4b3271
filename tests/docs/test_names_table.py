"""docs/pages/names.md is the output of its generator."""
import importlib
import os
import re
import subprocess
import sys

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import keras, supported

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATOR = os.path.join(CHECKOUT, "docs", "tools", "names_table.py")
sys.path.insert(0, os.path.dirname(GENERATOR))
import names_table as table  # noqa: E402

PATH = os.path.join(CHECKOUT, "docs", "pages", "names.md")
COMMAND = "python docs/tools/names_table.py docs/pages/names.md"


def committed():
    with open(PATH, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("package", sorted(set(table._PACKAGES)))
def test_rows_are_in_the_table(package):
    text = committed()
    rows = importlib.import_module("legacy_towers.{}.symbols".format(package)).SYMBOLS
    assert [row.name for row in rows if "| {} |".format(table._code(row.name)) not in text] == [], COMMAND


def test_cells_contain_no_separators():
    for line in committed().splitlines():
        if line.startswith("|"):
            assert line.endswith("|") and len(re.findall(r" \| ", line)) in (1, 3, 4), line


@pytest.mark.slow
def test_the_table_is_the_output_of_the_generator(tmp_path):
    if supported.parse(tf.__version__).pair != supported.NEWEST or keras.problem(supported.parse(tf.__version__)):
        pytest.skip("the table is of the newest TensorFlow, with tf_keras")
    pytest.importorskip("tensorflow_probability")
    tests = os.path.join(CHECKOUT, "tests")
    # In another process: otherwise it would find what other tests have imported.
    subprocess.run(
        [sys.executable, GENERATOR, "page.md", "--tests", tests], cwd=str(tmp_path), check=True
    )
    assert (tmp_path / "page.md").read_text(encoding="utf-8").splitlines() == committed().splitlines(), COMMAND
