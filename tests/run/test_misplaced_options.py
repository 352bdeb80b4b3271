"""Options of `run` that stand after the script."""
import types

import pytest

from legacy_towers.cli import run as cli
from legacy_towers.cli.parser import Parser
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


@pytest.mark.parametrize("words, known", [
    (["train.py", "--towers", "2"], True),
    (["train.py", "--", "--towers", "2"], False),
    (["--towers", "2", "train.py", "--towers", "2"], False),
    (["--", "train.py", "--towers", "2"], False),
], ids=["after the script", "after dashes", "given to run", "after the end of the options of run"])
def test_option_is_misplaced_unless_it_is_passed_on_knowingly(words, known):
    parser = Parser(prog="run")
    cli.add_arguments(parser, words)
    arguments = parser.parse_args(words)
    assert (cli._misplaced_options(arguments, None) is not None) == known
