"""Errors of legacy-towers train: in its options, in the job, and in a checkpoint of another model."""
import os

import job_files
import pytest
from commands import command

from legacy_towers import devices

pytestmark = pytest.mark.usefixtures("folder")

WITHOUT_GPU = pytest.mark.skipif(
    bool(devices.available("GPU")), reason="needs a machine without a GPU"
)


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


def test_a_job_can_not_have_an_option_of_the_command(folder, capsys):
    job_files.write(folder, "clash.py", "import legacy_towers as lt\n@lt.job\ndef clash(towers=2): pass")
    assert command("train clash.py") == 2
    assert "the job 'clash' has an option --towers, which the command has too: rename it" in capsys.readouterr().err


def test_a_job_function_without_return_is_an_error_in_one_line(folder, capsys):
    job_files.write(folder, "nothing.py", "from line import *\n@lt.job\ndef nothing(): line()")
    assert command("train nothing.py --steps 2") == 2
    assert capsys.readouterr().err == (
        "legacy-towers: error: the job 'nothing' returned nothing, not an lt.Job: its function needs return "
        "lt.Job(...)\n"
    )


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
