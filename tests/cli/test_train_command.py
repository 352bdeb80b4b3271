"""legacy-towers train: output, checkpoints, exit codes and usage errors."""
import json
import os
import re
import threading

import job_files
import pytest
import waiting
from commands import command

from legacy_towers import devices
from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.training import building

WITHOUT_GPU = pytest.mark.skipif(
    bool(devices.available("GPU")), reason="needs a machine without a GPU"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty current directory with the job file line.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 600.0)  # however busy the machine is
    job_files.write(tmp_path, "line.py", job_files.LINE)
    return tmp_path


def test_train_prints_four_lines_at_the_start_and_two_at_the_end(capsys):
    assert command("train line.py --towers 4 --per-tower-batch-size 25 --epochs 2 --log-every 10") == 0
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert lines[:4] == [
        "line: 4 towers on /cpu:0 to /cpu:3; 2 variables (20 bytes) on /cpu:0",
        "input: dataset:next_per_tower, 25 examples per tower, 100 per step, from arrays (x, y, id)",
        "strategy: ParameterServer('/cpu:0'); gradients: mean()",
        "steps: 1 to 20 (2 epochs of 1,000 examples); nothing is kept without --checkpoint-dir",
    ]
    assert [line.split("  loss")[0] for line in lines[4:]] == ["step  1/20   5%", "step 10/20  50%", "step 20/20 100%"]
    assert re.search(r" examples/s  \d:\d\d left$", lines[5]) and lines[6].endswith(" examples/s")
    trained, tested = shown.out.splitlines()
    assert trained.startswith("trained 20 steps to a loss of 0.0") and trained.endswith(" examples/s over 4 towers")
    assert tested.startswith("test error 0.0") and tested.endswith("(1000 examples, step 20)")
    assert os.listdir(".") == ["line.py"] or sorted(os.listdir(".")) == ["__pycache__", "line.py"]


def test_train_says_where_staging_does_not_pay(capsys):
    assert command("train line.py --towers 2 --per-tower-batch-size 25 --steps 1 --input staged+feed") == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].startswith("input: feed, 25 examples per tower") and lines[2] == (
        "staging: does not pay on these devices: all towers are CPUs of one machine, so no batch has to be copied to "
        "them in advance"
    )
    assert lines[3].startswith("strategy: ")


def test_a_line_is_printed_if_building_the_graph_takes_long(capsys, folder, monkeypatch):
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 0.4)
    slow = job_files.LINE.replace("def model_fn(batch, mode):", "def model_fn(batch, mode):\n        time.sleep(0.3)")
    job_files.write(folder, "slow.py", slow.replace("import warnings", "import time, warnings"))
    assert command("train slow.py --towers 2 --steps 1 --checkpoint-dir kept") == 0
    shown = capsys.readouterr().err.splitlines()
    # The first line is that of training; the other one is that of the evaluation at the end.
    assert [number for number, line in enumerate(shown) if line == "building the graph of 2 towers"] == [0, 8]
    assert command("evaluate slow.py --checkpoint-dir kept --towers 2") == 0
    assert capsys.readouterr().err == "building the graph of 2 towers\n"
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 60.0)
    assert command("evaluate slow.py --checkpoint-dir kept") == 0
    assert capsys.readouterr().err == ""


def test_a_run_resumes_from_its_checkpoint_and_a_complete_run_only_evaluates(capsys):
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
        ("train", "legacy-towers: error: the following arguments are required: JOB; see legacy-towers "),
        ("train none.py", "there is no job file 'none.py'"),
        ("train line.py line.py", "unexpected argument 'line.py'"),
        ("train line.py --rat 1", "there is no option --rat, did you mean --rate?; the job 'line' has --rate, "),
        ("train line.py --nothing", "there is no option --nothing; the job 'line' has --rate, "),
        ("train line.py --rate x", "argument --rate: invalid float value: 'x'"),
        ("train line.py --bare perhaps", "'perhaps' is neither true nor false"),
        ("train line.py --towers 0", "--towers is 0: at least 1 is needed"),
        ("train line.py --towers -1", "--towers is -1: at least 1 is needed"),
        ("train line.py --device tpu", "argument --device: invalid choice: 'tpu'"),
        ("train line.py --input tape", "--input: there is no input pipeline 'tape': the names are 'synthetic', "),
        ("train line.py --input dataset:tape", "--input: the input pipeline 'dataset:tape': after "),
        ("train line.py --steps 3 --epochs 3", "argument --epochs: not allowed with argument --steps"),
        ("train line.py --steps 0", "--steps is 0: at least 1 is needed"),
        ("train line.py --epochs 0", "--epochs is 0: at least 1 is needed"),
        ("train line.py --log-every 0", "--log-every is 0: at least 1 is needed"),
        ("train line.py --towers 2 --global-batch-size 33", "is not divisible by 2 towers: use 32 or 34"),
        ("train line.py --per-tower-batch-size 0", "--per-tower-batch-size is 0: at least 1 is needed"),
        ("train line.py --towers 2 --per-tower-batch-size 501 --epochs 1", "1 epoch of 1,000 examples are less than "),
        ("train line.py --memory-fraction 2", "--memory-fraction is 2: a number above 0 and up to 1 is needed"),
        ("train line.py --checkpoint-dir line.py", "--checkpoint-dir: 'line.py' is not a directory"),
        ("train line.py --checkpoint-dir line.py/x", "--checkpoint-dir: the directory 'line.py/x' can't be created: "),
        ("train line.py --checkpoint-dir kept --trace .", "--trace is '.', which is a directory: name a file"),
        ("train line.py --checkpoint-dir kept --trace no/x.json", "--trace is 'no/x.json': there is no directory"),
        pytest.param("train line.py --device gpu --towers 2",
                     "--device gpu with 2 towers: this machine has no GPU; use --device cpu, or --soft-placement ",
                     marks=WITHOUT_GPU),
    ],
    ids=lambda value: value.replace("train ", "") if value.startswith("train") else "",
)
def test_usage_errors_are_one_line_and_nothing_runs(capsys, words, message):
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
        ("from line import *\n@lt.job\ndef bad():\n    return line().replace(model_fn=lambda batch, mode: {}['z'])",
         ["KeyError: 'z'"]),
    ],
    ids=["syntax", "import", "job", "model function"],
)
def test_the_traceback_of_an_error_in_the_job_has_the_jobs_lines_only(folder, capsys, source, shown):
    job_files.write(folder, "bad.py", source)
    assert command("train bad.py --steps 1") == 1
    error = capsys.readouterr().err
    assert [line for line in shown if line not in error.splitlines()] == []
    assert "bad.py" in error and os.path.join("cli", "main.py") not in error


def test_a_key_that_the_batch_does_not_have_is_an_error_in_one_line_with_the_jobs_line(folder, capsys):
    job_files.write(folder, "bad.py", job_files.LINE.replace('batch["y"]', 'batch["yy"]'))
    assert command("train bad.py --towers 2 --steps 3") == 2
    line = 1 + job_files.LINE.splitlines().index(next(each for each in job_files.LINE.splitlines() if '"y"]' in each))
    assert capsys.readouterr().err.splitlines()[-1] == (
        "legacy-towers: error: the batch of tower 0 has no 'yy' (bad.py:{}): it has 'id', 'x' and 'y'".format(line)
    )


def test_options_of_the_job_may_come_before_it_and_are_in_the_help(capsys):
    assert command("train --rate 0.2 --towers 2 line.py --steps 1 --bare") == 0
    assert capsys.readouterr().out == "trained 1 step to a loss of {:.4f}\n".format(_first_loss())
    assert command("train line.py --help") == 0
    help_text = capsys.readouterr().out
    assert "options of the job 'line':\n  Fits a line." in help_text
    assert "--rate FLOAT" in help_text and "default: 0.1" in help_text and "default: false" in help_text
    assert command("train --help") == 0
    assert "JOB --help lists the job's own options too" in capsys.readouterr().out


def _first_loss():
    """Returns the loss of the same first step from `train`; it does not depend on the learning rate."""
    from legacy_towers.training.job import load_job
    from legacy_towers.training.settings import TrainSettings
    from legacy_towers.training.train import train

    job = load_job("line.py")(bare=True)
    return train(job, TrainSettings(towers=2, steps=1), open(os.devnull, "w")).loss


def test_a_job_can_not_have_an_option_of_the_command(folder, capsys):
    job_files.write(folder, "clash.py", "import legacy_towers as lt\n@lt.job\ndef clash(towers=2): pass")
    assert command("train clash.py") == 2
    assert "the job 'clash' has an option --towers, which the command has too: rename it" in capsys.readouterr().err


@WITHOUT_GPU
def test_soft_placement_runs_on_existing_devices_with_warnings(capsys):
    assert command("train line.py --device gpu --towers 2 --soft-placement --steps 2") == 0
    shown = capsys.readouterr()
    warnings = [line for line in shown.err.splitlines() if "warning" in line]
    assert len(warnings) == 2 and warnings[0].startswith("legacy-towers: warning: tower 0 requested /gpu:0 but ran ")
    # The evaluation at the end uses the towers' devices too.
    assert warnings[1].startswith("legacy-towers: warning: tower 0 asks for /gpu:0 and will run on /cpu:0; tower 1 ")
    assert "(1000 examples, step 2)" in shown.out


def test_deprecation_warnings_are_printed_with_verbose_only(capsys):
    words = ["train", "line.py", "--steps", "1", "--bare", "--says", "`tf.layers.dense` is deprecated"]
    assert main(words) == 0
    assert "deprecated" not in capsys.readouterr().err
    assert main(words + ["--verbose"]) == 0
    assert "legacy-towers: warning: `tf.layers.dense` is deprecated\n" in capsys.readouterr().err


def test_a_checkpoint_of_another_model_is_rejected(folder, capsys):
    job_files.write(folder, "other.py", job_files.LINE.replace('"w", [3, 1]', '"v", [3, 1]'))
    job_files.write(folder, "wider.py", job_files.LINE.replace("[3, 1]", "[3, 2]"))
    assert command("train line.py --steps 1 --bare --checkpoint-dir kept") == 0
    capsys.readouterr()
    assert command("train other.py --steps 2 --checkpoint-dir kept") == 2
    assert "the checkpoint kept/model.ckpt-1 lacks 'v': it was written by another model" in capsys.readouterr().err
    assert command("train wider.py --steps 2 --checkpoint-dir kept") == 2
    assert "has 'w' with shape [3, 1], the model has [3, 2]" in capsys.readouterr().err
    assert command("train line.py --average 0.9 --steps 2 --checkpoint-dir kept") == 2
    assert "lacks 'w/ExponentialMovingAverage'" in capsys.readouterr().err
    for file in os.listdir("kept"):
        if file.startswith("model.ckpt"):
            os.remove(os.path.join("kept", file))
    assert command("train line.py --steps 2 --checkpoint-dir kept") == 2
    missing = "kept/checkpoint names kept/model.ckpt-1 and kept/model.ckpt-0, which do not exist: restore their files"
    assert missing in capsys.readouterr().err


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset", "dataset:split", "dataset:sharded"])
def test_no_thread_outlives_a_run(pipeline):
    before = threading.enumerate()
    assert command("train line.py --towers 2 --steps 3 --bare --input " + pipeline) == 0
    assert waiting.threads_since(before) == []


def test_trace_writes_a_file_and_reports_its_step(capsys):
    assert command("train line.py --towers 2 --steps 3 --bare --trace step.json") == 0
    assert capsys.readouterr().out.endswith(" (trace of step 3 in step.json)\n")
    assert os.path.getsize("step.json") > 1000


def test_plan_prints_the_whole_plan(capsys):
    assert command("train line.py --steps 1 --bare --plan") == 0
    assert "regularization: none" in capsys.readouterr().err


INTERRUPTED = """
    import os, signal
    from line import *

    sent = []

    def endless():
        for number, (x, y) in enumerate(zip(points()["x"], points()["y"])):
            if number == 40 and not sent:  # a second signal, in the next epoch, would end the run at once
                sent.append(number)
                os.kill(os.getpid(), signal.SIG{signal})
            yield {{"x": x, "y": y}}

    @lt.job
    def interrupted():
        spec = {{"x": tf.TensorSpec([3], tf.float32), "y": tf.TensorSpec([], tf.float32)}}
        examples = lt.Examples.from_generator(endless, spec, count=1000, shuffle=False)
        return line().replace(train=examples, per_tower_batch_size=1)
"""


@pytest.mark.parametrize("signal, code", [("INT", 130), ("TERM", 143)])
def test_a_signal_ends_a_run_with_a_checkpoint(folder, capsys, signal, code):
    job_files.write(folder, "interrupted.py", INTERRUPTED.format(signal=signal))
    assert command("train interrupted.py --steps 10000 --checkpoint-dir kept") == code
    shown = capsys.readouterr()
    assert shown.out.startswith("trained ") and "test" not in shown.out
    step = int(tf.train.latest_checkpoint("kept").split("-")[-1])
    assert shown.err.endswith(
        "interrupted at step {} of 10000; the same command resumes from there\n".format(step)
    )


DAMAGED = """
    from line import *

    def parse(record):
        values = tf.reshape(tf.decode_raw(record, tf.float32), [4])
        return {"x": values[:3], "y": values[3]}

    @lt.job
    def damaged(bad_test=False):
        good, bad = [lt.Examples.from_tfrecords(name, parse, count=300) for name in ("good.tfrecords", "bad.tfrecords")]
        return line().replace(train=good if bad_test else bad, test=bad)
"""


def test_a_warm_start_is_reported_and_a_resume_wins(folder, capsys):
    train = "train line.py --bare --checkpoint-dir "
    assert command(train + "old --steps 2") == 0
    capsys.readouterr()
    assert command(train + "new --steps 1 --warm-start old") == 0
    assert re.search(r"\nwarm start: (\d+) of \1 variables from old/model.ckpt-2\n", capsys.readouterr().err)
    assert command(train + "new --steps 2 --warm-start old") == 0
    line = "warm start: old is not used, since the run resumes from new/model.ckpt-1"
    assert line in capsys.readouterr().err.splitlines()
    assert command(train + "third --steps 1 --warm-start old --warm-start-include none") == 2
    assert "'none' in include matches none of the model's variables" in capsys.readouterr().err
    assert not (folder / "third").exists() or not list((folder / "third").glob("*.index"))


def _records(count):
    with tf.python_io.TFRecordWriter("records") as writer:
        for _ in range(count):
            writer.write(b"\0" * 16)
    with open("records", "rb") as file:
        return bytearray(file.read())


@pytest.mark.parametrize("words", ["--input feed", "--input queue", "--input dataset", "--bad-test"])
def test_the_error_for_a_damaged_record_names_its_file(folder, capsys, words):
    job_files.write(folder, "damaged.py", DAMAGED)
    data = _records(300)
    (folder / "good.tfrecords").write_bytes(data)
    data[200 * 32 + 14] ^= 255  # 32 bytes per record, with a header of 12 bytes
    (folder / "bad.tfrecords").write_bytes(data)
    assert command("train damaged.py --towers 2 --steps 30 " + words) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(
        "legacy-towers: error: bad.tfrecords, record 200 (byte 6,400): the data of this record does not match its "
        "checksum; "
    )


def test_bad_records_are_skipped_and_counted(folder, capsys):
    job_files.write(folder, "damaged.py", DAMAGED.replace("test=bad", "test=good"))
    data = _records(300)
    data[200 * 32 + 14] ^= 255
    (folder / "good.tfrecords").write_bytes(_records(300))
    (folder / "bad.tfrecords").write_bytes(data)
    assert command("train damaged.py --towers 2 --steps 30 --input feed --log-every 30 --skip-bad-records 1") == 0
    printed = capsys.readouterr()
    assert "skipped 1 bad record (32 bytes lost): bad.tfrecords, record 200 (byte 6,400): the data" in printed.out
    assert [line for line in printed.err.splitlines() if line.startswith("step 30/30") and line.endswith("1 skipped")]
    assert command("train damaged.py --skip-bad-records 0") == 2
    assert "--skip-bad-records is 0: at least 1 is needed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, strategy, variable_devices",
    [
        ("", "ParameterServer('/cpu:0'); gradients: mean()", "/cpu:0"),
        ("--variables balanced --reduction tree", "Balanced(['/cpu:0', '/cpu:1']); gradients: tree()", "/cpu:0"),
        ("--variables replicated", "Replicated(); gradients: mean()", "/cpu:0, /cpu:1"),
        ("--variables parameter_server:/cpu:1", "ParameterServer('/cpu:1'); gradients: mean()", "/cpu:1"),
    ],
    ids=["the job's", "both", "copies", "a device"],
)
def test_variables_and_reduction_are_options(capsys, words, strategy, variable_devices):
    assert command("train line.py --towers 2 --steps 3 --bare --plan-json plan.json " + words) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "strategy: " + strategy in lines
    assert lines[0].startswith("line: 2 towers on /cpu:0 and /cpu:1; ")
    assert lines[0].endswith(" on " + variable_devices)
    with open("plan.json") as source:
        plan = json.load(source)
    assert "{}; gradients: {}".format(plan["strategy"], plan["reduction"]) == strategy
    assert [each["name"] for each in plan["variables"]] == ["w", "global_step"]


def test_a_run_resumes_with_another_strategy(capsys):
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
        return line().replace(variables=own, reduction=lt.gradients.tree())

    @lt.job
    def wrong(what="variables"):
        return line().replace(**{what: 5})
"""


def test_a_job_sets_its_strategy_and_reduction(folder, capsys):
    job_files.write(folder, "choosy.py", CHOOSY)
    train = "train choosy.py:{} --towers 2 --steps 2 "
    assert command(train.format("choosy")) == 0
    assert "strategy: RoundRobin(['/cpu:0', '/cpu:1']); gradients: tree()" in capsys.readouterr().err.splitlines()
    assert command(train.format("wrong")) == 2
    assert "the job's variables are 5: give the name of a strategy, such as 'replicated'" in capsys.readouterr().err
    assert command(train.format("wrong --what reduction")) == 2
    assert "the job's reduction: a reduction is needed, got 5: pass lt.gradients.mean()," in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("--variables nowhere", "--variables: there is no strategy 'nowhere': the names are "),
        ("--variables parameter_server:/disk", "--variables: "),
        ("--reduction nothing", "--reduction: there is no reduction 'nothing'"),
        ("--plan-json .", "--plan-json is '.', which is a directory: name a file"),
    ],
    ids=["strategy", "device", "reduction", "plan"],
)
def test_an_unknown_strategy_or_reduction_is_reported_before_anything_runs(capsys, words, sentence):
    assert command("train line.py --towers 2 --steps 2 --checkpoint-dir kept " + words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1 and shown.out == ""
    assert not os.path.exists("kept")


@pytest.mark.parametrize(
    "words, use",
    [
        ("--variables parameter_server:/cpu:9", "'w', 'global_step' live on /cpu:9"),
        ("--reduction mean:/cpu:9", "the gradients of 'w' are reduced on /cpu:9"),
    ],
    ids=["strategy", "reduction"],
)
def test_a_strategy_or_reduction_on_a_missing_device_is_an_error_in_one_line(capsys, words, use):
    assert command("train line.py --towers 2 --steps 2 --checkpoint-dir kept " + words) == 2
    shown = capsys.readouterr()
    assert shown.err == (
        "legacy-towers: error: {}, which this session does not have (it has '/cpu:0', '/cpu:1'): name devices that it "
        "has in {}, or pass --soft-placement to let TensorFlow move them\n".format(use, words.split()[0])
    )
    assert shown.out == "" and not os.path.exists("kept")


def test_a_device_of_the_job_that_is_missing_is_an_error_with_the_options_that_replace_it(folder, capsys):
    job_files.write(folder, "placed.py", """
        from line import *

        @lt.job
        def placed():
            return line().replace(variables="parameter_server:/cpu:9")
    """)
    assert command("train placed.py --towers 2 --steps 2 --checkpoint-dir kept") == 2
    shown = capsys.readouterr()
    assert shown.err == (
        "legacy-towers: error: 'w', 'global_step' live on /cpu:9, which this session does not have (it has '/cpu:0', "
        "'/cpu:1'): name devices that it has in the job, or choose others by --variables and --reduction, or pass "
        "--soft-placement to let TensorFlow move them\n"
    )
    assert shown.out == "" and not os.path.exists("kept")


def test_a_job_function_without_return_is_an_error_in_one_line(folder, capsys):
    job_files.write(folder, "nothing.py", "from line import *\n@lt.job\ndef nothing(): line()")
    assert command("train nothing.py --steps 2") == 2
    assert capsys.readouterr().err == (
        "legacy-towers: error: the job 'nothing' returned nothing, not an lt.Job: its function needs return "
        "lt.Job(...)\n"
    )


def test_update_ops_that_a_strategy_does_not_support_are_replaced_with_a_note(folder, capsys):
    job_files.write(folder, "mean.py", """
        from line import *

        @lt.job
        def mean():
            return line().replace(update_ops="mean")
    """)
    assert command("train mean.py --towers 2 --steps 2 --variables asynchronous") == 0
    assert (
        "with asynchronous batch-norm statistics are kept by update_ops='own': it does not support the job's 'mean'"
    ) in capsys.readouterr().err.splitlines()
