"""The command `legacy-towers migrate PATH`, which reads source code without TensorFlow."""
import json
import textwrap

import pytest
from processes import run_python

from legacy_towers.cli import main
from legacy_towers.migrate.source import audit as _registered  # noqa: F401  # registers the rules
from legacy_towers.migrate.source.rules.registry import rules

QUEUES = "import tensorflow as tf\nx = tf.train.batch([tf.constant(1)], 2)\n"


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queues.py").write_text(QUEUES)
    (tmp_path / "fine.py").write_text("import tensorflow as tf\n")
    return tmp_path


def test_the_exit_code_is_1_while_queues_are_left(folder, capsys):
    assert main.main(["migrate", "queues.py", "fine.py"]) == 1
    assert capsys.readouterr().out.startswith("pipeline 1: stays\n  queues.py:2:5: LT301 tf.train.batch stays: ")
    assert main.main(["migrate", "fine.py"]) == 0
    assert capsys.readouterr().out == "no queues in 1 file\n"
    assert main.main(["migrate", ".", "--ignore", "LT3"]) == 0
    assert main.main(["migrate", ".", "--select", "lt301,LT2"]) == 1


def test_json_is_written_to_a_file(folder, capsys):
    assert main.main(["migrate", ".", "--json", "found.json"]) == 1
    (finding,) = json.loads((folder / "found.json").read_text())["findings"]
    assert (finding["path"], finding["line"], finding["code"]) == ("queues.py", 2, "LT301")


def test_explain_prints_a_rule(folder, capsys):
    assert main.main(["migrate", "--explain", "lt302"]) == 0
    assert capsys.readouterr().out.startswith("LT302 tf.train.shuffle_batch\n\nbecomes shuffle(capacity), batch(")


def test_explain_all_lists_the_rules(folder, capsys):
    assert main.main(["migrate", "--explain", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("LT101 tf.train.string_input_producer: ") and lines == sorted(lines)
    assert len(lines) == len(rules())


@pytest.mark.parametrize(
    "words, message",
    [
        ("", "PATH is missing: pass files and folders of source code, or a MetaGraph file"),
        ("none.py", "there is no file or folder 'none.py' in the working directory /"),
        (". --select LT999", "no rule has the code 'LT999'; see `legacy-towers migrate --explain all`"),
        (". --ignore LT30x", "no rule has the code 'LT30X': the closest are LT301, LT302, LT303; see "),
        ("--explain LT000", "no rule has the code 'LT000'"),
        ("--explain LT301 .", "--explain reads nothing: remove '.'"),
        (". --json no/x.json", "--json is 'no/x.json': there is no directory"),
        (". --out x.meta", "--out is for a MetaGraph (a file that ends in .meta), got '.'; for a script use --write"),
        (". --prove",
         "--prove is for a MetaGraph (a file that ends in .meta), got '.'; for a script use --verify COMMAND, or "
         + "legacy-towers run --queues-to-dataset --prove"),
        ("queues.py --json queues.py", "--json is 'queues.py', which is one of the files to read: name another file"),
        (". --diff --json ./fine.py", "--json is './fine.py', which is one of the files to read: name another file"),
        ("m.meta", "there is no file 'm.meta' in the working directory /"),
        ("m.meta --out x", "there is no file 'm.meta' in the working directory /"),
        ("m.meta queues.py --out x", "'m.meta' is a MetaGraph: pass it alone"),
        ("m.meta --out x --select LT3", "--select is for source code, and 'm.meta' is a MetaGraph"),
    ],
)
def test_wrong_usage_is_one_line(folder, capsys, words, message):
    assert main.main(["migrate"] + words.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("legacy-towers: error: " + message) and error.count("\n") == 1
    assert (folder / "queues.py").read_text() == QUEUES


def test_no_tensorflow_is_imported(folder):
    done = run_python(textwrap.dedent("""
        import sys
        from legacy_towers.cli.main import main
        commands = [["."], ["--explain", "LT101"], [".", "--select", "X"]]
        print([main(["migrate"] + each) for each in commands], "tensorflow" in sys.modules, "numpy" in sys.modules)
        """))
    assert done.stdout.splitlines()[-1] == "[1, 0, 2] False False"
