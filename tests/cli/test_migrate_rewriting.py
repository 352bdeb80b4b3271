"""`legacy-towers migrate` with --diff, --write and --verify."""
import json
import sys

import preloaded
import pytest

from legacy_towers.cli import main
from legacy_towers.compat import tf

VERSION = tf.__version__

SCRIPT = """\
import tensorflow as tf

names = tf.train.string_input_producer(["numbers.txt"], num_epochs=2, shuffle=False)
_, line = tf.TextLineReader().read(names)
number = tf.string_to_number(line)
batch = tf.train.batch([number], 4, allow_smaller_final_batch=True)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while not coordinator.should_stop():
            print(session.run(batch))
    except tf.errors.OutOfRangeError:
        print("done")
    coordinator.request_stop()
    coordinator.join(threads)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "numbers.txt").write_text("1\n2\n3\n4\n5\n")
    return tmp_path


def test_diff_prints_the_changes_and_writes_nothing(project, capsys):
    assert main.main(["migrate", "train.py", "--diff"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("--- train.py\n+++ train.py (tf.data)\n@@ ")
    assert "-names = tf.train.string_input_producer(" in printed and "\n+dataset = " in printed
    assert printed.endswith("\n1 pipeline in 1 file can be rewritten; pass --write to write it\n")
    assert (project / "train.py").read_text() == SCRIPT


def test_write_rewrites_the_file_and_then_nothing_is_left(project, capsys):
    assert main.main(["migrate", "train.py", "--write", "--json", "found.json"]) == 0
    assert capsys.readouterr().out == "1 pipeline rewritten in 1 file; written\n"
    assert "_producer" not in (project / "train.py").read_text()
    assert json.loads((project / "found.json").read_text())["written"] is True
    assert main.main(["migrate", "train.py"]) == 0
    assert main.main(["migrate", "train.py", "--write"]) == 0
    assert capsys.readouterr().out.endswith("0 pipelines can be rewritten; nothing is written\n")


def test_comments_that_still_mention_queues_are_named(project, capsys):
    (project / "train.py").write_text('"""Reads a queue of file names."""\n' + SCRIPT.replace(
        "number = ", "# Decodes what the queue gives.\nnumber = "))
    assert main.main(["migrate", "train.py", "--write"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("note: comments and docstrings of train.py still mention queues, after the rewriting ")
    lines = (project / "train.py").read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if "what the queue gives" in line]
    assert printed[0].endswith(" in lines 1 and {}".format(number))
    assert printed[1:] == ["1 pipeline rewritten in 1 file; written"]


def test_a_target_decides_the_names_of_rewritten_files(project, capsys):
    assert main.main(["migrate", "train.py", "--diff", "--target", "tf.data-2"]) == 0
    printed = capsys.readouterr().out
    assert "+with tf.compat.v1.Session() as session:\n" in printed
    assert main.main(["migrate", "train.py", "--diff", "--target", "tf.data-1"]) == 0
    assert capsys.readouterr().out != printed


@pytest.mark.parametrize("target, is_noted", [("tf.data-2", True), ("tf.data-1", False)])
def test_layers_of_keras_2_are_named_with_what_they_need_on_tensorflow_2(target, is_noted, project, capsys):
    (project / "train.py").write_text(SCRIPT.replace("run(batch)", "run(tf.layers.dense(batch[:, None], 1))"))
    assert main.main(["migrate", "train.py", "--diff", "--target", target]) == 0
    note = "note: train.py uses tf.layers: on TensorFlow 2.16 and later it needs tf_keras and TF_USE_LEGACY_KERAS=1\n"
    assert (note in capsys.readouterr().out) == is_noted


def test_what_is_left_is_printed_with_the_reason(project, capsys):
    (project / "train.py").write_text(SCRIPT.replace("[number], 4", "[number, names.size()], 4"))
    assert main.main(["migrate", "train.py", "--write", "--json", "found.json"]) == 1
    assert json.loads((project / "found.json").read_text())["written"] is False
    printed = capsys.readouterr().out
    assert printed.startswith("left: train.py:6:33: LT411 queue.size: the size of its queue is read")
    assert printed.endswith("\n0 pipelines can be rewritten; 1 stays, because of 1 call; nothing is written\n")


def test_the_audit_and_the_rewriting_name_the_same_call_with_the_same_reason(project, capsys):
    (project / "train.py").write_text(SCRIPT.replace("_, line", "key, line").replace("run(batch)", "run([batch, key])"))
    assert main.main(["migrate", "train.py"]) == 1
    audit = capsys.readouterr().out
    assert main.main(["migrate", "train.py", "--diff", "--json", "found.json"]) == 1
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.startswith("left: ")]
    place, reason = line[len("left: "):].split("reader.read: ")
    assert place == "train.py:4:13: LT208 "
    assert "{}reader.read stays: {}; by hand: ".format(place, reason) in audit
    (left,) = json.loads((project / "found.json").read_text())["left"]
    assert (left["code"], left["line"], left["column"], left["reason_line"]) == ("LT208", 4, 13, 13)
    assert reason.endswith(" (line 13)")


def test_the_audit_says_what_calls_of_a_pipeline_that_stays_would_become(project, capsys):
    assert main.main(["migrate", "train.py"]) == 1
    assert " would become " not in capsys.readouterr().out
    (project / "train.py").write_text(SCRIPT.replace("[number], 4", "[number, names.size()], 4"))
    assert main.main(["migrate", "train.py"]) == 1
    printed = capsys.readouterr().out
    assert "LT503 tf.train.start_queue_runners would become nothing" in printed
    assert "LT301 tf.train.batch would become batch(" in printed


@pytest.mark.parametrize("option", ["--diff", "--write"])
def test_files_that_are_not_read_are_listed_and_the_exit_code_is_1(option, project, capsys):
    (project / "syntax.py").write_text("import tensorflow as tf\nq = tf.FIFOQueue(\n")
    (project / "notes.ipynb").write_text('{"source": "tf.train.batch([x], 2)"}')
    assert main.main(["migrate", "syntax.py", option, "--json", "found.json"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("syntax.py:2: not read: it is neither Python 3 nor Python 2: ")
    assert "\n0 pipelines can be rewritten; 1 file is not read" in printed
    (unread,) = json.loads((project / "found.json").read_text())["unread"]
    assert (unread["path"], unread["line"]) == ("syntax.py", 2)
    assert main.main(["migrate", ".", option]) == 1
    printed = capsys.readouterr().out
    assert "\nnotes.ipynb: not read: it is a notebook" in printed and "; 2 files are not read\n" in printed


def test_verify_proves_the_rewriting_and_writes_it(project, capsys):
    words = ["migrate", ".", "--write", "--verify", "python train.py", "--json", "found.json"]
    assert main.main(words) == 0
    printed = capsys.readouterr().out
    assert "python train.py: PROVEN: the same examples after the rewriting\n" in printed
    assert printed.endswith("1 pipeline rewritten in 1 file; written\n")
    assert "_producer" not in (project / "train.py").read_text()
    assert json.loads((project / "found.json").read_text())["verification"]["verdict"] == "proven"


def test_nothing_is_written_where_the_command_reads_other_examples(project, capsys):
    # The rewritten script sees that it is: it reads another file.
    wrong = SCRIPT.replace('["numbers.txt"]', '["numbers.txt"] * (1 + ("tf.da" + "ta" in open(__file__).read()))')
    (project / "train.py").write_text(wrong)
    assert main.main(["migrate", "train.py", "--write", "--verify", "train.py"]) == 1
    printed = capsys.readouterr().out
    assert "train.py: DIFFERENT: by legacy-towers run, TensorFlow " in printed
    assert printed.endswith("nothing is written: the rewriting of 1 pipeline in 1 file is not proven\n")
    assert (project / "train.py").read_text() == wrong


def test_a_rewriting_for_tensorflow_2_is_also_run_by_tensorflow_2_alone(project, capsys):
    words = ["migrate", "train.py", "--write", "--target", "tf.data-2", "--verify", "train.py"]
    assert main.main(words) == 0
    printed = capsys.readouterr().out
    if VERSION.startswith("2."):
        alone = printed.partition("\n  by {}, TensorFlow {}\n".format(sys.executable, VERSION))[2]
        assert alone.startswith("    session runs: PROVEN: the same 10 examples in 3 session runs as by legacy-")
    else:
        assert "\n  TensorFlow 2 alone: not run: this Python does not have it\n" in printed


@pytest.mark.skipif(not VERSION.startswith("2."), reason="needs TensorFlow 2")
def test_a_rewriting_that_fails_by_tensorflow_2_alone_is_not_written(project, capsys):
    # Only `legacy-towers run` has the names of TensorFlow 1 in `tensorflow`.
    wrong = SCRIPT + "getattr(tf, 'Session')\n"
    (project / "train.py").write_text(wrong)
    words = ["migrate", "train.py", "--write", "--target", "tf.data-2", "--verify", "train.py"]
    assert main.main(words) == 1
    assert "the command fails after the rewriting: AttributeError: " in capsys.readouterr().out
    assert (project / "train.py").read_text() == wrong


def test_the_reason_of_a_command_that_fails_is_printed_once(project, capsys):
    (project / "train.py").write_text(SCRIPT + "raise ValueError('a broken script')\n")
    assert main.main(["migrate", "train.py", "--write", "--verify", "train.py"]) == 1
    printed = capsys.readouterr().out
    assert printed.count("a broken script") == 1
    assert "\n    session runs: NOT COMPARED\n" in printed


def test_a_command_that_does_not_run_what_is_rewritten_proves_nothing(project, capsys):
    (project / "other.py").write_text("print()\n")
    assert main.main(["migrate", "train.py", "--write", "--verify", "other.py"]) == 1
    assert "other.py: NOT COMPARED: " in capsys.readouterr().out
    assert (project / "train.py").read_text() == SCRIPT


def test_several_commands_prove_what_they_use_together(project, capsys):
    (project / "evaluate.py").write_text(SCRIPT.replace("[number], 4", "[number], 5"))
    words = ["migrate", ".", "--write", "--verify", "train.py", "--verify", "evaluate.py", "--json", "found.json"]
    assert main.main(words) == 0
    printed, progress = capsys.readouterr()
    for name in ("train.py", "evaluate.py"):
        assert "{}: PROVEN: the same examples after the rewriting\n".format(name) in printed
        assert "verify: runs {} after the rewriting, by legacy-towers run, in a fixed order\n".format(name) in progress
    found = json.loads((project / "found.json").read_text())["verification"]
    assert found["verdict"] == "proven"
    assert [each["command"] for each in found["commands"]] == ["train.py", "evaluate.py"]


def test_files_that_none_of_several_commands_uses_are_not_proven(project, capsys):
    (project / "evaluate.py").write_text(SCRIPT)
    (project / "other.py").write_text("print()\n")
    assert main.main(["migrate", ".", "--write", "--verify", "train.py", "--verify", "other.py"]) == 1
    printed = capsys.readouterr().out
    assert "train.py: PROVEN: " in printed and "other.py: NOT COMPARED: " in printed
    assert "\nNOT COMPARED: none of the commands imports evaluate.py, which is rewritten\n" in printed
    assert (project / "evaluate.py").read_text() == SCRIPT


@pytest.mark.parametrize("options", [[], ["--diff"]], ids=["alone", "with --diff"])
def test_verify_prints_the_changes_and_the_verdict(options, project, capsys):
    (project / "other.py").write_text("print()\n")
    assert main.main(["migrate", "train.py", "--verify", "other.py"] + options) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("--- train.py\n+++ train.py (tf.data)\n")
    assert printed.endswith("\nnothing is written: the rewriting of 1 pipeline in 1 file is not proven\n")


@pytest.mark.parametrize("words, problem", [
    (["--verify", "missing.py"], "there is no file 'missing.py' in "),
    (["--verify", "python"], "names no script: pass SCRIPT"),
    (["--verify", "train.py 'x"], "No closing quotation"),
    (["--verify", "legacy-towers run --py2"], "names no script: pass SCRIPT"),
    (["--python", "python3"], "--python is an option of --verify"),
    (["--timeout", "5"], "--timeout is an option of --verify"),
    (["--verify", "train.py", "--timeout", "0"], "--timeout must be positive, got 0"),
    (["--verify", "train.py", "--python", "/no/python"], "--python /no/python: there is no such program"),
    (["--verify", "sh run.sh"],
     "--verify runs a Python script or module, not 'sh': pass SCRIPT [ARGUMENTS] or -m MODULE"),
    (["--diff", "--write"], "pass --diff or --write, not both"),
    (["--target", "tf.data-2"], "--target needs --diff or --write"),
    (["--diff", "--select", "LT101"], "--select is an option of the audit"),
])
def test_wrong_usage(words, problem, project, capsys):
    assert main.main(["migrate", "train.py"] + words) == 2
    error = capsys.readouterr().err
    assert problem in error and error.count("\n") == 1
