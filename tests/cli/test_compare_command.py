"""legacy-towers compare: printed and written results, exit codes and usage errors."""
import json
import os
import re
import signal
import subprocess
import sys

import job_files
import preloaded
import processes
import pytest
import waiting
from commands import command

from legacy_towers import devices
from legacy_towers.compat import tf

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def preloaded_workers(monkeypatch):
    """The workers find TensorFlow imported: these comparisons start two dozen."""
    monkeypatch.setattr(sys, "executable", preloaded.executable())


GENERATED = """
    from line import *

    def pairs():
        for x, y in zip(points()["x"], points()["y"]):
            yield {"x": x, "y": y}

    @lt.job
    def generated(pipeline="feed"):
        spec = {"x": tf.TensorSpec([3], tf.float32), "y": tf.TensorSpec([], tf.float32)}
        return line().replace(train=lt.Examples.from_generator(pairs, spec, count=1000), input=pipeline)
"""


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("--inputs feed,carrier_pigeon", "--inputs: there is no input pipeline 'carrier_pigeon': the names are "),
        ("--inputs ,", "--inputs names nothing"),
        ("--inputs feed,queue,feed", "--inputs names feed twice"),
        ("--inputs dataset,dataset:next_per_tower", "--inputs names dataset:next_per_tower twice"),
        ("--inputs synthetic", "there is no input pipeline to compare"),
        ("--inputs feed --current queue", "--current is queue, which is not compared: name it among --inputs too"),
        ("--variables balanced,nowhere", "--variables: there is no strategy 'nowhere': the names are "),
        ("--reductions mean,nothing", "--reductions: there is no reduction 'nothing': the names are 'mean', 'sum', "),
        ("--reductions clip_by_norm:1", "--reductions: the reduction 'clip_by_norm:1' has no member that reduces the "),
        ("--variables ,", "--variables names nothing"),
        ("--variables balanced,balanced", "--variables names balanced twice"),
        ("--variables balanced --inputs feed", "--inputs can't be combined with --variables or --reductions: name"),
        ("--variables balanced --input pigeon", "--input: there is no input pipeline 'pigeon': the names are "),
        ("--variables balanced --current tree", "--current is 'tree', which is not compared: name one of 'balanced'"),
        ("--input feed", "--input feed is only for --variables or --reductions, as the input pipeline"),
        ("--current synthetic", "--current is synthetic, which reads no data: name another input pipeline"),
        ("--current nothing", "--current: there is no input pipeline 'nothing': the names are "),
        ("--json same --html same", "--json and --html are the same file, 'same': name two"),
        ("--steps 0", "--steps is 0: at least 1 is needed"),
        ("--rounds 4", "--rounds is 4: at least 5 are needed to distinguish a gain from noise"),
        ("--towers 0", "--towers is 0: at least 1 is needed"),
        ("--towers 2,2", "--towers names 2 twice"),
        ("--towers ,", "--towers names no number of towers"),
        ("--towers two", "'two' is not a list of whole numbers, such as 1,2,4"),
        ("--timeout 0", "--timeout is 0: a number of seconds above 0 is needed"),
        ("--per-tower-batch-size 0", "--per-tower-batch-size is 0: at least 1 is needed"),
        ("--json nowhere/file.json", "--json is 'nowhere/file.json': there is no directory "),
        ("--html .", "--html is '.', which is a directory: name a file"),
        ("--against none.json", "there is no file 'none.json' in the working directory "),
        ("--against line.py", "line.py is not JSON"),
        ("--against other.json", 'other.json is not a comparison: a file written by `legacy-towers compare --json`'),
        ("--against newer.json", "newer.json is a comparison of version 99, and this legacy_towers reads version "),
        ("--wings 2", "there is no option --wings"),
    ],
    ids=lambda value: value.split(":")[0] if value.startswith("--") else "",
)
def test_usage_errors_are_one_line_and_start_no_process(folder, capsys, monkeypatch, words, sentence):
    (folder / "other.json").write_text("{}")
    (folder / "newer.json").write_text('{"format": "legacy-towers compare", "version": 99}')
    monkeypatch.setattr(subprocess, "Popen", None)  # starting a process fails
    before = sorted(os.listdir("."))
    assert command("compare line.py --json out.json --html out.html " + words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1 and shown.out == ""
    assert [name for name in sorted(os.listdir(".")) if name != "__pycache__"] == before


@pytest.mark.skipif(bool(devices.available("GPU")), reason="needs a machine without a GPU")
def test_device_gpu_without_a_gpu_is_an_error(capsys):
    assert command("compare line.py --device gpu --towers 1,2") == 2
    assert "--device gpu with 1 tower: this machine has no GPU" in capsys.readouterr().err


def test_a_pipeline_that_the_job_can_not_use_is_an_error_only_if_it_is_named(folder, capsys):
    job_files.write(folder, "generated.py", GENERATED)
    assert command("compare generated.py --inputs feed,queue") == 2
    error = capsys.readouterr().err
    assert "--inputs: queue can't be used with this job: a queue can't read the generator pairs: " in error

    from legacy_towers.compare.settings import CompareSettings
    from legacy_towers.compare.strategy_candidates import find_candidates
    from legacy_towers.training.job import load_job

    found = find_candidates(load_job("generated.py")(), CompareSettings(towers=(1, 2)))
    left_out = dict(found.left_out)
    assert {"queue", "staged+queue", "dataset:sharded", "staged+dataset:sharded"} <= set(left_out)
    assert "two iterators of the generator pairs may return different examples" in left_out["dataset:sharded"]
    assert {"synthetic", "feed", "dataset:split", "dataset:next_per_tower"} <= set(found.names())
    assert "dataset" not in found.names() and found.current == "feed"
    assert find_candidates(load_job("generated.py")(pipeline="dataset"), CompareSettings()).current == (
        "dataset:next_per_tower"
    )


def test_help_imports_no_tensorflow():
    program = """
        import sys
        from legacy_towers.cli.main import main
        try:
            main(["compare", "--help"])
        except SystemExit:
            print("tensorflow" in sys.modules, "numpy" in sys.modules)
    """
    printed = processes.output_of(program)
    assert printed.splitlines()[-1] == "False False" and "--against OLD.json" in printed


@pytest.mark.slow
def test_a_comparison_of_input_pipelines(preloaded_workers, capsys):
    words = "compare line.py --towers 1,2 --rounds 5 --steps 5 --rate 0.05 --inputs synthetic,feed,dataset"
    assert command(words + " --json new.json --html new.html") == 0
    shown = capsys.readouterr()
    assert "2 towers: round 5 of 5" in shown.err
    for part in ("1 tower\n", "2 towers\n", "scaling\n", "parity\n", "verdict, 2 towers: "):
        assert part in shown.out
    found = json.load(open("new.json"))
    assert found["command"] == "legacy-towers " + words + " --json new.json --html new.html"
    assert found["date"].endswith("+00:00") and found["environment"]["cpu"] and found["environment"]["cores"] >= 1
    assert found["environment"]["tensorflow"] == tf.__version__
    assert found["job_options"]["rate"] == 0.05 and found["settings"]["current"] == "dataset:next_per_tower"
    assert [(row["candidate"], row["towers"]) for row in found["rows"]] == [
        (pipeline, towers) for towers in (1, 2) for pipeline in ("synthetic", "feed", "dataset:next_per_tower")
    ]
    for row in found["rows"]:
        assert row["failed"] is None and row["timeline"]
        assert len(row["examples_per_second"]["rounds"]) == 5
        assert row["step_ms_p50"] <= row["step_ms_p95"]
        assert (row["waiting"] is None) == (row["candidate"] == "synthetic")
        # three float32, their sum, and an int64
        assert row["fed_bytes_per_step"] == (row["towers"] * 32 * 24 if row["candidate"] == "feed" else 0)
        assert (row["speedup_over_one_tower"] is None) == (row["towers"] == 1)
    assert [(each["candidate"], each["losses"], each["same_epoch"]) for each in found["parity"]] == [
        (pipeline, "same", True) for _ in (1, 2) for pipeline in ("feed", "dataset:next_per_tower")
    ]
    assert "<html" in open("new.html").read()
    assert command(words.replace("1,2", "2") + " --against new.json") == 0
    assert "now / before" in capsys.readouterr().out.partition("\nverdict: ")[2]


@pytest.mark.slow
def test_a_comparison_of_strategies_and_reductions(preloaded_workers, capsys):
    words = "compare line.py --towers 1,2 --rounds 5 --steps 5 --variables replicated,asynchronous"
    words += " --reductions mean,tree"
    assert command(words + " --json new.json --html new.html") == 0
    shown = capsys.readouterr()
    assert "all candidates compute on synthetic batches, since waiting for input would hide" in shown.err
    assert "parameter_server with mean is compared too, since it is the job's own" in shown.err
    for part in ("2 towers\nvariables with reduction ", "\nscaling\n", "\nplan\n", "\nnumbers\n", "verdict, 2 towers"):
        assert part in shown.out
    found = json.load(open("new.json"))
    names = ["parameter_server with mean", "replicated with mean", "replicated with tree", "asynchronous"]
    assert found["subject"] == "variables and reductions" and found["parity"] == []
    assert (found["settings"]["current"], found["settings"]["input"]) == (names[0], "synthetic")
    assert found["settings"]["left_out"] == [
        "asynchronous with mean, asynchronous with tree (each tower applies its own gradients, so there is no gradient "
        "reduction)"
    ]
    assert [(row["candidate"], row["towers"]) for row in found["rows"]] == [(name, n) for n in (1, 2) for name in names]
    for row in found["rows"]:
        assert row["failed"] is None and row["timeline"] and row["waiting"] is None
        assert row["candidate"].startswith(row["variables"]) and row["input"] == "synthetic"
        assert [each["name"] for each in row["plan"]["variables"]] == ["w", "global_step"]
        of_step = 32 * (1 if row["variables"] == "asynchronous" else row["towers"])
        assert row["examples_per_second"]["rounds"] == pytest.approx(
            [of_step * updates for updates in row["updates_per_second"]["rounds"]]
        )
    assert [(each["candidate"], each["expected"], each["agrees"]) for each in found["proofs"]] == 2 * [
        (names[0], "current", None), (names[1], "same", True), (names[2], "same", True), (names[3], "other", None)
    ]
    # All start from the same initial values and get the same batches.
    losses = {each["losses"][0] for each in found["proofs"] if each["towers"] == 2 and each["losses"]}
    assert len(losses) == 1
    page = open("new.html").read()
    assert "The variables of replicated with <wbr>" in page or "The variables of replicated with tree" in page


DRIFTING = """
    from line import *

    class Doubled(lt.gradients.Reduction):
        def update(self, gradients, state):
            rows = [row._replace(gradients=[2.0 * each for each in row.gradients]) for row in gradients.rows]
            return gradients._replace(rows=rows)

        def __repr__(self):
            return "mean()"  # not what it computes

    @lt.job
    def drifting(fails=False):
        def model(batch, mode):
            output = model_fn(batch, mode)
            if fails and any("replica" in operation.name for operation in tf.get_default_graph().get_operations()):
                raise RuntimeError("this model rejects copies")
            return output
        return line().replace(model_fn=model, reduction=lt.gradients.chain(lt.gradients.mean(), Doubled()))
"""


@pytest.mark.slow
def test_a_failed_strategy_is_a_row_and_different_results_are_reported(preloaded_workers, folder, capsys):
    job_files.write(folder, "drifting.py", DRIFTING)
    words = "compare drifting.py --towers 2 --rounds 5 --steps 3 "
    assert command(words + "--variables parameter_server,replicated --fails --json out.json") == 0
    rows = {row["candidate"]: row for row in json.load(open("out.json"))["rows"]}
    assert rows["replicated"]["failed"] == "RuntimeError: this model rejects copies"
    assert rows["parameter_server"]["failed"] is None
    capsys.readouterr()
    assert command(words + "--reductions mean,tree --json out.json") == 0
    proofs = {each["candidate"]: each for each in json.load(open("out.json"))["proofs"]}
    assert proofs["mean"]["expected"] == "other" and proofs["mean"]["agrees"] is None
    assert "with the current one through mean()" in re.sub(r"\s+", " ", capsys.readouterr().out)


BROKEN = """
    from line import *

    @lt.job
    def broken():
        def model(batch, mode):
            if any("dataset" in operation.name.lower() for operation in tf.get_default_graph().get_operations()):
                raise RuntimeError("this model rejects datasets")
            return model_fn(batch, mode)
        return line().replace(model_fn=model)
"""


@pytest.mark.slow
def test_a_failed_pipeline_is_a_row_and_the_others_are_measured(preloaded_workers, folder, capsys):
    job_files.write(folder, "broken.py", BROKEN)
    words = "compare broken.py --towers 1 --rounds 5 --steps 3 --inputs feed,queue,dataset --json out.json"
    assert command(words) == 0
    shown = capsys.readouterr()
    assert "dataset:next_per_tower failed: RuntimeError: this model rejects datasets" in shown.err
    printed = shown.err.split("what the process of dataset:next_per_tower printed last:\n")[1]
    assert 'raise RuntimeError("this model rejects datasets")' in printed
    rows = {row["candidate"]: row for row in json.load(open("out.json"))["rows"]}
    assert rows["dataset:next_per_tower"]["failed"] == "RuntimeError: this model rejects datasets"
    assert rows["feed"]["failed"] is None is rows["queue"]["failed"]
    assert "verdict: no verdict: dataset:next_per_tower, the current candidate, failed" in shown.out


def living(processes):
    """Returns the processes that run, without zombies."""
    import psutil

    found = []
    for each in processes:
        try:
            if each.is_running() and each.status() != psutil.STATUS_ZOMBIE:
                found.append(each)
        except psutil.NoSuchProcess:
            pass
    return found


@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_all_its_processes(folder):
    running = subprocess.Popen(
        [sys.executable, "-m", "legacy_towers", "compare", "line.py", "--towers", "1", "--rounds", "500"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
    )
    import psutil

    try:
        for line in running.stderr:
            if "1 of " in line:
                break
        children = psutil.Process(running.pid).children(recursive=True)
        assert children
        running.send_signal(signal.SIGINT)
        _, error = running.communicate(timeout=120)
        assert running.returncode == 130 and error.endswith("legacy-towers: interrupted\n")
        assert waiting.happens(lambda: not living(children))
    finally:
        running.kill()
