"""legacy-towers train: what it prints, what it keeps, how it ends; and what it says to wrong input."""
import json
import os
import threading

import job_files
import pytest
import waiting

from legacy_towers import devices
from legacy_towers.cli.main import main
from legacy_towers.compat import tf

WITHOUT_GPU = pytest.mark.skipif(
    bool(devices.available("GPU")), reason="what happens without a GPU can't be seen on a machine with one"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty current directory with the job file line.py."""
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)
    return tmp_path


def command(words):
    """Runs the command line; returns its exit code, argparse's own among them."""
    try:
        return main(words.split())
    except SystemExit as ended:
        return ended.code


def test_a_run_opens_in_four_lines_and_ends_in_two(capsys):
    assert command("train line.py --towers 4 --per-tower-batch-size 25 --epochs 2 --log-every 10") == 0
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert lines[:4] == [
        "line: 4 towers on /cpu:0 to /cpu:3; 2 variables (20 bytes) on /cpu:0",
        "input: dataset:next_per_tower, 25 examples per tower, 100 per step, from arrays (x, y, id)",
        "strategy: ParameterServer('/cpu:0'); gradients: mean()",
        "steps: 1 to 20 (2 epochs of 1,000 examples); nothing is kept without --checkpoint-dir",
    ]
    assert [line.split("  loss")[0] for line in lines[4:]] == ["step  1/20", "step 10/20", "step 20/20"]
    assert lines[5].endswith(" examples/s")
    trained, tested = shown.out.splitlines()
    assert trained.startswith("trained 20 steps to a loss of 0.0") and trained.endswith(" examples/s over 4 towers")
    assert tested.startswith("test error 0.0") and tested.endswith("(1000 examples, step 20)")
    assert os.listdir(".") == ["line.py"] or sorted(os.listdir(".")) == ["__pycache__", "line.py"]


def test_a_run_goes_on_from_its_checkpoint_and_a_complete_one_only_evaluates(capsys):
    assert command("train line.py --steps 5 --checkpoint-dir kept") == 0
    assert "steps: 1 to 5, checkpoints and summaries in kept\n" in capsys.readouterr().err
    assert command("train line.py --steps 8 --checkpoint-dir kept") == 0
    shown = capsys.readouterr()
    assert "steps: 6 to 8, resuming from kept/model.ckpt-5\n" in shown.err
    assert shown.out.startswith("trained 3 steps ") and shown.out.endswith(" step 8)\n")
    for steps in (8, 2):
        assert command("train line.py --steps {} --checkpoint-dir kept".format(steps)) == 0
        shown = capsys.readouterr()
        assert "steps: none, kept/model.ckpt-8 is at step 8 and the run ends at {}\n".format(steps) in shown.err
        assert shown.out.startswith("test error ") and shown.out.endswith(" step 8)\n")
    assert tf.train.latest_checkpoint("kept") == "kept/model.ckpt-8"


@pytest.mark.parametrize(
    "words, message",
    [
        ("train", "legacy-towers train: error: the following arguments are required: JOB; see legacy-towers "),
        ("train none.py", "there is no job file 'none.py'"),
        ("train line.py line.py", "'line.py' is one word too many"),
        ("train line.py --rat 1", "there is no option --rat, did you mean --rate?; the job 'line' has --rate, "),
        ("train line.py --nothing", "there is no option --nothing; the job 'line' has --rate, "),
        ("train line.py --rate x", "argument --rate: invalid float value: 'x'"),
        ("train line.py --bare perhaps", "'perhaps' is neither true nor false"),
        ("train line.py --towers 0", "--towers is 0: at least 1 is needed"),
        ("train line.py --towers -1", "--towers is -1: at least 1 is needed"),
        ("train line.py --device tpu", "argument --device: invalid choice: 'tpu'"),
        ("train line.py --input tape", "--input is 'tape': allowed are 'synthetic', 'feed', 'feed:background'"),
        ("train line.py --input dataset:tape", "--input is 'dataset:tape': allowed are 'synthetic', 'feed'"),
        ("train line.py --steps 3 --epochs 3", "argument --epochs: not allowed with argument --steps"),
        ("train line.py --steps 0", "--steps is 0: at least 1 is needed"),
        ("train line.py --epochs 0", "--epochs is 0: at least 1 is needed"),
        ("train line.py --log-every 0", "--log-every is 0: at least 1 is needed"),
        ("train line.py --towers 2 --global-batch-size 33", "can't be divided among 2 towers: use 32 or 34"),
        ("train line.py --per-tower-batch-size 0", "per_tower_batch_size must be a whole number of at least 1, not 0"),
        ("train line.py --towers 2 --per-tower-batch-size 501 --epochs 1", "1 epoch of 1,000 examples are less than "),
        ("train line.py --memory-fraction 2", "memory_fraction must be a number above 0 and up to 1, not 2.0"),
        ("train line.py --checkpoint-dir line.py", "--checkpoint-dir: 'line.py' is no directory"),
        ("train line.py --checkpoint-dir line.py/x", "--checkpoint-dir: the directory 'line.py/x' can't be made: "),
        ("train line.py --checkpoint-dir kept --trace .", "--trace is '.', which is a directory: name a file"),
        ("train line.py --checkpoint-dir kept --trace no/x.json", "--trace is 'no/x.json': there is no directory"),
        pytest.param("train line.py --device gpu --towers 2",
                     "--device gpu with 2 towers: this machine has no GPU; take --device cpu, or --soft-placement ",
                     marks=WITHOUT_GPU),
    ],
    ids=lambda value: value.replace("train ", "") if value.startswith("train") else "",
)
def test_a_mistake_is_one_sentence_before_anything_runs(capsys, words, message):
    assert command(words) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert not os.path.exists("kept")


@pytest.mark.parametrize(
    "source, shown",
    [
        ("def f(:", ["    def f(:"]),
        ("import not_a_module_at_all", ["    import not_a_module_at_all"]),
        ("from line import *\n@lt.job\ndef bad():\n    return line().model", ["    return line().model"]),
        ("from line import *\n@lt.job\ndef bad():\n    return line()._replace(model_fn=lambda batch, mode: batch['z'])",
         ["KeyError: 'z'"]),
    ],
    ids=["syntax", "import", "job", "model function"],
)
def test_a_failure_of_the_jobs_own_code_shows_its_own_lines(folder, capsys, source, shown):
    job_files.write(folder, "bad.py", source)
    assert command("train bad.py --steps 1") == 1
    error = capsys.readouterr().err
    assert [line for line in shown if line not in error.splitlines()] == []
    assert "bad.py" in error and os.path.join("cli", "main.py") not in error


def test_options_of_the_job_may_stand_before_it_and_are_in_its_help(capsys):
    assert command("train --rate 0.2 --towers 2 line.py --steps 1 --bare") == 0
    assert capsys.readouterr().out == "trained 1 step to a loss of {:.4f}\n".format(_first_loss())
    assert command("train line.py --help") == 0
    help_text = capsys.readouterr().out
    assert "options of the job 'line':\n  Fits a line." in help_text
    assert "--rate FLOAT" in help_text and "default: 0.1" in help_text and "default: false" in help_text
    assert command("train --help") == 0
    assert "JOB --help lists the job's own options too" in capsys.readouterr().out


def _first_loss():
    """The loss of the same first step, from the function that the command calls; no rate plays a part in it."""
    from legacy_towers.jobs import load_job
    from legacy_towers.training import TrainSettings, train

    job = load_job("line.py")(bare=True)
    return train(job, TrainSettings(towers=2, steps=1), open(os.devnull, "w")).loss


def test_an_option_of_the_job_that_the_command_has_too(folder, capsys):
    job_files.write(folder, "clash.py", "import legacy_towers as lt\n@lt.job\ndef clash(towers=2): pass")
    assert command("train clash.py") == 2
    assert "the job 'clash' has an option --towers, which the command has too: rename it" in capsys.readouterr().err


@WITHOUT_GPU
def test_soft_placement_runs_on_what_there_is_and_says_so(capsys):
    assert command("train line.py --device gpu --towers 2 --soft-placement --steps 2") == 0
    shown = capsys.readouterr()
    warnings = [line for line in shown.err.splitlines() if "warning" in line]
    assert len(warnings) == 2 and warnings[0].startswith("legacy-towers: warning: tower 0 was asked on /gpu:0 but ran ")
    # The evaluation at the end is on the towers' devices too.
    assert warnings[1].startswith("legacy-towers: warning: tower 0 asks for /gpu:0 and will run on /cpu:0; tower 1 ")
    assert "(1000 examples, step 2)" in shown.out


def test_what_is_said_of_deprecated_names_is_shown_on_request_only(capsys):
    words = ["train", "line.py", "--steps", "1", "--bare", "--says", "`tf.layers.dense` is deprecated"]
    assert main(words) == 0
    assert "deprecated" not in capsys.readouterr().err
    assert main(words + ["--verbose"]) == 0
    assert "legacy-towers: warning: `tf.layers.dense` is deprecated\n" in capsys.readouterr().err


def test_a_checkpoint_of_another_model_is_refused(folder, capsys):
    job_files.write(folder, "other.py", job_files.LINE.replace('"w", [3, 1]', '"v", [3, 1]'))
    job_files.write(folder, "wider.py", job_files.LINE.replace("[3, 1]", "[3, 2]"))
    assert command("train line.py --steps 1 --bare --checkpoint-dir kept") == 0
    capsys.readouterr()
    assert command("train other.py --steps 2 --checkpoint-dir kept") == 2
    assert "the checkpoint kept/model.ckpt-1 lacks 'v': it is of another model" in capsys.readouterr().err
    assert command("train wider.py --steps 2 --checkpoint-dir kept") == 2
    assert "holds 'w' with shape [3, 1], the model has [3, 2]" in capsys.readouterr().err
    assert command("train line.py --average 0.9 --steps 2 --checkpoint-dir kept") == 2
    assert "lacks 'w/ExponentialMovingAverage'" in capsys.readouterr().err
    for file in os.listdir("kept"):
        if file.startswith("model.ckpt"):
            os.remove(os.path.join("kept", file))
    assert command("train line.py --steps 2 --checkpoint-dir kept") == 2
    assert "kept/checkpoint names kept/model.ckpt-1, which is not there: put its files back" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["feed", "queue", "dataset", "dataset:split", "dataset:sharded"])
def test_no_thread_outlives_a_run(way):
    before = threading.enumerate()
    assert command("train line.py --towers 2 --steps 3 --bare --input " + way) == 0
    assert waiting.threads_since(before) == []


def test_a_trace_is_written_and_told_of(capsys):
    assert command("train line.py --towers 2 --steps 3 --bare --trace step.json") == 0
    assert capsys.readouterr().out.endswith(" (trace of step 3 in step.json)\n")
    assert os.path.getsize("step.json") > 1000


def test_the_whole_plan_on_request(capsys):
    assert command("train line.py --steps 1 --bare --plan") == 0
    assert "regularization: none" in capsys.readouterr().err


INTERRUPTED = """
    import os, signal
    from line import *

    def endless():
        for number, (x, y) in enumerate(zip(points()["x"], points()["y"])):
            if number == 40:
                os.kill(os.getpid(), signal.SIG{signal})
            yield {{"x": x, "y": y}}

    @lt.job
    def interrupted():
        spec = {{"x": tf.TensorSpec([3], tf.float32), "y": tf.TensorSpec([], tf.float32)}}
        examples = lt.Examples.from_generator(endless, spec, count=1000, shuffle=False)
        return line()._replace(train=examples, per_tower_batch_size=1)
"""


@pytest.mark.parametrize("signal, code", [("INT", 130), ("TERM", 143)])
def test_a_signal_ends_a_run_with_a_checkpoint(folder, capsys, signal, code):
    job_files.write(folder, "interrupted.py", INTERRUPTED.format(signal=signal))
    assert command("train interrupted.py --steps 10000 --checkpoint-dir kept") == code
    shown = capsys.readouterr()
    assert shown.out.startswith("trained ") and "test" not in shown.out
    step = int(tf.train.latest_checkpoint("kept").split("-")[-1])
    assert shown.err.endswith(
        "interrupted at step {} of 10000; the same command goes on from there\n".format(step)
    )


DAMAGED = """
    from line import *

    def parse(record):
        values = tf.reshape(tf.decode_raw(record, tf.float32), [4])
        return {"x": values[:3], "y": values[3]}

    @lt.job
    def damaged(bad_test=False):
        good, bad = [lt.Examples.from_tfrecords(name, parse, count=300) for name in ("good.tfrecords", "bad.tfrecords")]
        return line()._replace(train=good if bad_test else bad, test=bad)
"""


@pytest.mark.parametrize("words", ["--input feed", "--input queue", "--input dataset", "--bad-test"])
def test_a_damaged_record_fails_the_run_and_its_file_is_named(folder, capsys, words):
    job_files.write(folder, "damaged.py", DAMAGED)
    with tf.python_io.TFRecordWriter("good.tfrecords") as writer:
        for _ in range(300):
            writer.write(b"\0" * 16)
    data = bytearray(open("good.tfrecords", "rb").read())
    data[200 * 32 + 14] ^= 255  # 32 bytes a record, 12 of them before the data
    with open("bad.tfrecords", "wb") as file:
        file.write(data)
    assert command("train damaged.py --towers 2 --steps 30 " + words) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("legacy-towers: error: DataLossError: corrupted record at 6412, while reading 1 ")
    assert "(bad.tfrecords)" in error


@pytest.mark.parametrize(
    "words, strategy, places",
    [
        ("", "ParameterServer('/cpu:0'); gradients: mean()", "/cpu:0"),
        ("--variables balanced --reduction tree", "Balanced(['/cpu:0', '/cpu:1']); gradients: tree()", "/cpu:0"),
        ("--variables replicated", "Replicated(); gradients: mean()", "/cpu:0, /cpu:1"),
        ("--variables parameter_server:/cpu:1", "ParameterServer('/cpu:1'); gradients: mean()", "/cpu:1"),
    ],
    ids=["the job's", "both", "copies", "a device"],
)
def test_a_run_takes_a_strategy_and_a_reduction_by_name(capsys, words, strategy, places):
    assert command("train line.py --towers 2 --steps 3 --bare --plan-json plan.json " + words) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "strategy: " + strategy in lines
    assert lines[0].startswith("line: 2 towers on /cpu:0 and /cpu:1; ") and lines[0].endswith(" on " + places)
    with open("plan.json") as source:
        plan = json.load(source)
    assert "{}; gradients: {}".format(plan["strategy"], plan["reduction"]) == strategy
    assert [each["name"] for each in plan["variables"]] == ["w", "global_step"]


def test_a_run_goes_on_with_another_strategy(capsys):
    for steps, name in ((3, "replicated"), (6, "round_robin"), (9, "asynchronous"), (12, "parameter_server")):
        assert command("train line.py --towers 2 --steps {} --checkpoint-dir kept --variables {}".format(
            steps, name
        )) == 0
        assert tf.train.load_checkpoint("kept").get_variable_to_shape_map() == {"w": [3, 1], "global_step": []}
    tested = [line for line in capsys.readouterr().out.splitlines() if line.startswith("test")]
    losses = [float(line.split("loss ")[1].split()[0]) for line in tested]
    assert losses == sorted(losses, reverse=True) and len(losses) == 4


CHOOSY = """
    from line import *

    @lt.job
    def choosy():
        own = lt.variables.RoundRobin(lt.devices.cpus(2))
        return line()._replace(variables=own, reduction=lt.gradients.tree())

    @lt.job
    def wrong(what="variables"):
        return line()._replace(**{what: 5})
"""


def test_a_job_says_its_strategy_and_reduction(folder, capsys):
    job_files.write(folder, "choosy.py", CHOOSY)
    train = "train choosy.py:{} --towers 2 --steps 2 "
    assert command(train.format("choosy")) == 0
    assert "strategy: RoundRobin(['/cpu:0', '/cpu:1']); gradients: tree()" in capsys.readouterr().err.splitlines()
    assert command(train.format("wrong")) == 2
    assert "the job's variables are 5: give the name of a strategy, such as 'replicated'" in capsys.readouterr().err
    assert command(train.format("wrong --what reduction")) == 2
    assert "the job's reduction: 5 is no reduction: make one" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("--variables nowhere", "--variables: there is no strategy 'nowhere': there are 'parameter_server', "),
        ("--variables parameter_server:/disk", "--variables: "),
        ("--reduction nothing", "--reduction: there is no reduction 'nothing'"),
        ("--plan-json .", "--plan-json is '.', which is a directory: name a file"),
    ],
    ids=["strategy", "device", "reduction", "plan"],
)
def test_a_strategy_that_is_none_is_told_before_anything_runs(capsys, words, sentence):
    assert command("train line.py --towers 2 --steps 2 --checkpoint-dir kept " + words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1 and shown.out == ""
    assert not os.path.exists("kept")


def test_statistics_that_a_strategy_can_not_keep_give_way_and_this_is_said(folder, capsys):
    job_files.write(folder, "mean.py", """
        from line import *

        @lt.job
        def mean():
            return line()._replace(update_ops="mean")
    """)
    assert command("train mean.py --towers 2 --steps 2 --variables asynchronous") == 0
    assert (
        "with asynchronous batch-norm statistics are kept by update_ops='own': the job's 'mean' can't be had with it"
    ) in capsys.readouterr().err.splitlines()
