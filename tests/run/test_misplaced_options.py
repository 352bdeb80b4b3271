"""Options of `run` that stand after the script."""
import types

import pytest

from legacy_towers.run.misplaced_options import MisplacedOptions

OPTIONS = ["--towers", "--queues-to-dataset", "--py2"]
PLAIN, OTHER = "import tensorflow as tf\n", "steps = 3\n"
FLAG = "tf.flags.DEFINE_integer('towers', 1, '')\n"
UNDERSCORE = "parser.add_argument('--queues_to_dataset', action='store_true')\n"


@pytest.mark.parametrize("words, texts, shown", [
    pytest.param(["train.py", "--towers", "2"], [PLAIN, OTHER], "`legacy-towers run --towers 2 train.py`", id="value"),
    pytest.param(["train.py", "--towers=2"], [PLAIN], "`legacy-towers run --towers=2 train.py`", id="equals sign"),
    pytest.param(["train.py", "--py2", "--steps"], [PLAIN], "`legacy-towers run --py2 train.py`", id="no value"),
    pytest.param(["-m", "train", "--towers", "2"], [PLAIN], "`legacy-towers run --towers 2 -m train`", id="module"),
    pytest.param(["train.py", "--towers", "2"], [PLAIN, FLAG], None, id="the script's own"),
    pytest.param(["train.py", "--queues-to-dataset"], [UNDERSCORE], None, id="the script's own with underscores"),
    pytest.param(["train.py", "--steps", "2"], [PLAIN], None, id="another option"),
    pytest.param(["train.py", "--towers", "2"], [], None, id="no file was loaded"),
])
def test_option_that_no_file_of_the_script_names_is_reported_once(words, texts, shown, tmp_path):
    files = []
    for number, text in enumerate(texts):
        files.append(str(tmp_path / "{}.py".format(number)))
        (tmp_path / "{}.py".format(number)).write_text(text)
    misplaced = MisplacedOptions(types.SimpleNamespace(files=files), words, OPTIONS)
    lines = misplaced.lines()
    assert [line.partition("as in ")[2] for line in lines] == ([] if shown is None else [shown])
    assert misplaced.lines() == []
