"""legacy-towers train with strategies and reductions: those of its options, those of the job, and their devices."""
import json
import os
import re

import job_files
import pytest
from commands import command

from legacy_towers import devices
from legacy_towers.compat import tf
from legacy_towers.training.hooks.progress import ProgressHook
from legacy_towers.training.runs import session

pytestmark = pytest.mark.usefixtures("folder")

WITHOUT_GPU = pytest.mark.skipif(
    bool(devices.available("GPU")), reason="needs a machine without a GPU"
)


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


def test_asynchronous_towers_print_the_loss_by_global_steps_and_the_last_one_with_its_step(capsys, monkeypatch):
    given = []

    class Recorded(ProgressHook):
        def __init__(self, loss, global_step, last_step, examples_per_step, every, *arguments, **keywords):
            given.append(every)
            super().__init__(loss, global_step, last_step, examples_per_step, every, *arguments, **keywords)

    monkeypatch.setattr(session, "ProgressHook", Recorded)
    assert command("train line.py --towers 2 --steps 40 --log-every 9 --variables asynchronous") == 0
    out, err = capsys.readouterr()
    assert given == [4]
    step, loss = re.findall(r"^step +(\d+)/40 +\d+%  loss (\S+)", err, re.MULTILINE)[-1]
    trained = int(re.match(r"trained (\d+) steps", out).group(1))
    text = " to a loss of {1}" if int(step) == trained else ", with a loss of {1} at step {0}"
    assert out.startswith("trained {} steps".format(trained) + text.format(step, loss) + ", ")


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


@WITHOUT_GPU
def test_soft_placement_runs_on_existing_devices_with_warnings(capsys):
    assert command("train line.py --device gpu --towers 2 --soft-placement --steps 2") == 0
    shown = capsys.readouterr()
    warnings = [line for line in shown.err.splitlines() if "warning" in line]
    assert len(warnings) == 2 and warnings[0].startswith("legacy-towers: warning: tower 0 requested /gpu:0 but ran ")
    # The evaluation at the end uses the towers' devices too.
    assert warnings[1].startswith("legacy-towers: warning: tower 0 asks for /gpu:0 and will run on /cpu:0; tower 1 ")
    assert "(1000 examples, step 2)" in shown.out


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
