"""The command of --verify: its words, and Pythons with TensorFlow 1.15."""
import os
import sys

import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.verify import command


@pytest.mark.parametrize("text, variables, words, by_run", [
    ("train.py --steps 3", {}, ["train.py", "--steps", "3"], False),
    ("python train.py", {}, ["train.py"], False),
    ("/usr/bin/python3.7 -u -m pkg.train -m x", {}, ["-m", "pkg.train", "-m", "x"], False),
    ("A=1 B= python train.py a=b", {"A": "1", "B": ""}, ["train.py", "a=b"], False),
    ("legacy-towers run --py2 train.py", {}, ["--py2", "train.py"], True),
    ("python_train.py", {}, ["python_train.py"], False),
])
def test_words_of_commands(text, variables, words, by_run):
    assert command.split(text, text.split()) == (variables, words, by_run)


@pytest.mark.parametrize("text, problem", [
    ("", "names no script: pass SCRIPT"),
    ("python", "names no script: pass SCRIPT"),
    ("python -c print()", "-c of Python is not supported; remove it"),
    ("legacy-towers train job.py", "the command must be SCRIPT"),
])
def test_commands_that_are_errors(text, problem):
    with pytest.raises(ArgumentError) as error:
        command.split(text, text.split())
    assert problem in str(error.value)


def test_this_python_is_found_where_it_has_tensorflow_1_15(monkeypatch):
    monkeypatch.setenv("PATH", "/nothing")
    assert command.find_python() == (sys.executable if tf.__version__.startswith("1.15") else None)


@pytest.mark.parametrize("distribution, sentence", [
    ("tensorflow-2.13.0", "it has tensorflow 2.13.0, not TensorFlow 1.15"),
    ("numpy-1.18.0", "it has no TensorFlow, not TensorFlow 1.15"),
    ("tensorflow_gpu-1.15.5", None),
    ("tensorflow_estimator-1.15.1", "it has no TensorFlow, not TensorFlow 1.15"),
])
def test_a_python_is_known_by_what_is_installed_in_it(distribution, sentence, tmp_path, monkeypatch):
    (tmp_path / (distribution + ".dist-info")).mkdir()
    program = tmp_path / "python3.7"
    program.write_text("#!/bin/sh\ncd '{0}' && exec '{1}' -S \"$@\"\n".format(tmp_path, sys.executable))
    os.chmod(str(program), 0o755)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if sentence is None:
        assert command.check_python(str(program)) == str(program)
    else:
        with pytest.raises(ArgumentError) as error:
            command.check_python(str(program))
        assert sentence in str(error.value)


def test_a_program_that_is_missing_is_an_error():
    with pytest.raises(ArgumentError, match="there is no such program"):
        command.check_python("/no/such/python")
