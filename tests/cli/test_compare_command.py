"""legacy-towers compare: what it prints and writes, how it ends, and what it says to wrong input before it runs."""
import json
import os
import re
import signal
import subprocess
import sys

import job_files
import processes
import pytest
import waiting

from legacy_towers import devices
from legacy_towers.cli.main import main


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


GENERATED = """
    from line import *

    def pairs():
        for x, y in zip(points()["x"], points()["y"]):
            yield {"x": x, "y": y}

    @lt.job
    def generated(way="feed"):
        spec = {"x": tf.TensorSpec([3], tf.float32), "y": tf.TensorSpec([], tf.float32)}
        return line()._replace(train=lt.Examples.from_generator(pairs, spec, count=1000), input=way)
"""


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("--inputs feed,carrier_pigeon", "--inputs is 'carrier_pigeon': allowed are 'synthetic', 'feed', "),
        ("--inputs ,", "--inputs names no way in"),
        ("--inputs feed,queue,feed", "--inputs names feed twice"),
        ("--inputs dataset,dataset:next_per_tower", "--inputs names dataset:next_per_tower twice"),
        ("--inputs synthetic", "there is no way in to compare"),
        ("--inputs feed --current queue", "--current is queue, which is not compared: name it among --inputs too"),
        ("--variables balanced,nowhere", "--variables: there is no strategy 'nowhere': there are 'parameter_server', "),
        ("--reductions mean,nothing", "--reductions: there is no reduction 'nothing': there are 'mean', 'sum', "),
        ("--reductions clip_by_norm:1", "--reductions: the reduction 'clip_by_norm:1' has nothing that makes the "),
        ("--variables ,", "--variables names nothing"),
        ("--variables balanced,balanced", "--variables names balanced twice"),
        ("--variables balanced --inputs feed", "--inputs with --variables or --reductions asks two questions at once"),
        ("--variables balanced --input pigeon", "--input is 'pigeon': allowed are 'synthetic', "),
        ("--variables balanced --current tree", "--current is 'tree', which is not compared: name one of 'balanced'"),
        ("--input feed", "--input feed is the way in for all candidates where --variables or --reductions are "),
        ("--current synthetic", "--current is synthetic, which reads no data: name a real way in"),
        ("--current nothing", "--current is 'nothing': allowed are "),
        ("--json same --html same", "--json and --html are the same file, 'same': name two"),
        ("--steps 0", "--steps is 0: at least 1 is needed"),
        ("--rounds 4", "--rounds is 4: at least 5 are needed, or noise can't be told from a gain"),
        ("--towers 0", "--towers is 0: at least 1 is needed"),
        ("--towers 2,2", "--towers names 2 twice"),
        ("--towers ,", "--towers names no number of towers"),
        ("--towers two", "'two' is no list of whole numbers, as 1,2,4 is"),
        ("--timeout 0", "--timeout is 0: a number of seconds above 0 is needed"),
        ("--per-tower-batch-size 0", "--per-tower-batch-size is 0: at least 1 is needed"),
        ("--json nowhere/file.json", "--json is 'nowhere/file.json': there is no directory "),
        ("--html .", "--html is '.', which is a directory: name a file"),
        ("--against none.json", "none.json can't be read: No such file or directory"),
        ("--against line.py", "line.py is not JSON"),
        ("--against other.json", 'other.json is not a comparison: a file that `legacy-towers compare --json` wrote'),
        ("--against newer.json", "newer.json is a comparison of version 99, and this legacy_towers knows versions 1 "),
        ("--wings 2", "there is no option --wings"),
    ],
    ids=lambda value: value.split(":")[0] if value.startswith("--") else "",
)
def test_wrong_input_is_told_before_anything_runs(folder, capsys, monkeypatch, words, sentence):
    (folder / "other.json").write_text("{}")
    (folder / "newer.json").write_text('{"format": "legacy-towers compare", "version": 99}')
    monkeypatch.setattr(subprocess, "Popen", None)  # whoever starts a process fails
    before = sorted(os.listdir("."))
    assert command("compare line.py --json out.json --html out.html " + words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err and shown.err.count("\n") == 1 and shown.out == ""
    assert [name for name in sorted(os.listdir(".")) if name != "__pycache__"] == before


@pytest.mark.skipif(bool(devices.available("GPU")), reason="needs a machine without a GPU")
def test_more_towers_than_devices(capsys):
    assert command("compare line.py --device gpu --towers 1,2") == 2
    assert "--device gpu with 1 tower: this machine has no GPU" in capsys.readouterr().err


def test_a_way_that_can_t_serve_the_job_is_an_error_by_name_only(folder, capsys):
    job_files.write(folder, "generated.py", GENERATED)
    assert command("compare generated.py --inputs feed,queue") == 2
    assert "--inputs: queue can't serve this job: a queue can't read the generator pairs: " in capsys.readouterr().err

    from legacy_towers.compare.find import find_candidates
    from legacy_towers.compare.settings import CompareSettings
    from legacy_towers.jobs import load_job

    found = find_candidates(load_job("generated.py")(), CompareSettings(towers=(1, 2)))
    left_out = dict(found.left_out)
    assert {"queue", "queue+staged", "dataset:sharded", "dataset:sharded+staged"} <= set(left_out)
    assert "two iterators of the generator pairs need not give the same" in left_out["dataset:sharded"]
    assert {"synthetic", "feed", "dataset:split", "dataset:next_per_tower"} <= set(found.names())
    assert "dataset" not in found.names() and found.current == "feed"
    assert find_candidates(load_job("generated.py")(way="dataset"), CompareSettings()).current == (
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


@pytest.mark.alone
@pytest.mark.slow
def test_a_comparison_from_start_to_end(capsys):
    words = "compare line.py --towers 1,2 --rounds 5 --steps 5 --rate 0.05 --inputs synthetic,feed,dataset"
    assert command(words + " --json new.json --html new.html") == 0
    shown = capsys.readouterr()
    assert "2 towers: round 5 of 5" in shown.err
    for part in ("1 tower\n", "2 towers\n", "scaling\n", "parity\n", "verdict, 2 towers: "):
        assert part in shown.out
    found = json.load(open("new.json"))
    assert found["job_options"]["rate"] == 0.05 and found["settings"]["current"] == "dataset:next_per_tower"
    assert [(row["candidate"], row["towers"]) for row in found["rows"]] == [
        (way, towers) for towers in (1, 2) for way in ("synthetic", "feed", "dataset:next_per_tower")
    ]
    for row in found["rows"]:
        assert row["failed"] is None and row["timeline"]
        assert len(row["examples_per_second"]["rounds"]) == 5
        assert row["step_ms_p50"] <= row["step_ms_p95"]
        assert (row["waiting"] is None) == (row["candidate"] == "synthetic")
        # three float32, their sum, and an int64
        assert row["fed_bytes_per_step"] == (row["towers"] * 32 * 24 if row["candidate"] == "feed" else 0)
        assert (row["speedup_over_one_tower"] is None) == (row["towers"] == 1)
    assert [(each["candidate"], each["same_trajectory"], each["same_epoch"]) for each in found["parity"]] == [
        (way, True, True) for _ in (1, 2) for way in ("feed", "dataset:next_per_tower")
    ]
    assert "<html" in open("new.html").read()
    assert command(words.replace("1,2", "2") + " --against new.json") == 0
    assert "now / before" in capsys.readouterr().out.partition("\nverdict: ")[2]


@pytest.mark.alone
@pytest.mark.slow
def test_a_comparison_of_strategies_and_reductions_from_start_to_end(capsys):
    words = "compare line.py --towers 1,2 --rounds 5 --steps 5 --variables replicated,asynchronous"
    words += " --reductions mean,tree"
    assert command(words + " --json new.json --html new.html") == 0
    shown = capsys.readouterr()
    assert "every candidate computes on synthetic batches: the question is the gradients" in shown.err
    assert "parameter_server with mean is compared too: it is what the job has" in shown.err
    for part in ("2 towers\nvariables with reduction ", "\nscaling\n", "\nplan\n", "\nnumbers\n", "verdict, 2 towers"):
        assert part in shown.out
    found = json.load(open("new.json"))
    names = ["parameter_server with mean", "replicated with mean", "replicated with tree", "asynchronous"]
    assert found["subject"] == "variables and reductions" and found["parity"] == []
    assert (found["settings"]["current"], found["settings"]["input"]) == (names[0], "synthetic")
    assert found["settings"]["left_out"] == [
        "asynchronous with mean, asynchronous with tree (each tower applies its own gradients, so there is no sum to "
        "lay out)"
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
    # All of one set of initial values and one order of batches.
    losses = {each["losses"][0] for each in found["proofs"] if each["towers"] == 2 and each["losses"]}
    assert len(losses) == 1
    page = open("new.html").read()
    assert "The variables of replicated with <wbr>" in page or "The variables of replicated with tree" in page
    assert command(words.replace("1,2", "2") + " --against new.json") == 0
    assert "now / before" in capsys.readouterr().out.partition("\nverdict: ")[2]


DRIFTING = """
    from line import *

    class Doubled(lt.gradients.Reduction):
        def update(self, gradients, state):
            rows = [row._replace(gradients=[2.0 * each for each in row.gradients]) for row in gradients.rows]
            return gradients._replace(rows=rows)

        def __repr__(self):
            return "mean()"  # so it says

    @lt.job
    def drifting(fails=False):
        def model(batch, mode):
            output = model_fn(batch, mode)
            if fails and any("replica" in operation.name for operation in tf.get_default_graph().get_operations()):
                raise RuntimeError("this model hates copies")
            return output
        return line()._replace(model_fn=model, reduction=lt.gradients.chain(lt.gradients.mean(), Doubled()))
"""


@pytest.mark.alone
@pytest.mark.slow
def test_a_strategy_that_fails_is_a_row_and_what_computes_something_else_is_told(folder, capsys):
    job_files.write(folder, "drifting.py", DRIFTING)
    words = "compare drifting.py --towers 2 --rounds 5 --steps 3 "
    assert command(words + "--variables parameter_server,replicated --fails --json out.json") == 0
    rows = {row["candidate"]: row for row in json.load(open("out.json"))["rows"]}
    assert rows["replicated"]["failed"] == "RuntimeError: this model hates copies"
    assert rows["parameter_server"]["failed"] is None
    capsys.readouterr()
    assert command(words + "--reductions mean,tree --json out.json") == 0
    proofs = {each["candidate"]: each for each in json.load(open("out.json"))["proofs"]}
    assert proofs["mean"]["expected"] == "other" and proofs["mean"]["agrees"] is None
    assert "by the current one through mean()" in re.sub(r"\s+", " ", capsys.readouterr().out)


BROKEN = """
    from line import *

    @lt.job
    def broken():
        def model(batch, mode):
            if any("dataset" in operation.name.lower() for operation in tf.get_default_graph().get_operations()):
                raise RuntimeError("this model hates datasets")
            return model_fn(batch, mode)
        return line()._replace(model_fn=model)
"""


@pytest.mark.alone
@pytest.mark.slow
def test_a_way_that_fails_is_a_row_and_the_others_go_on(folder, capsys):
    job_files.write(folder, "broken.py", BROKEN)
    words = "compare broken.py --towers 1 --rounds 5 --steps 3 --inputs feed,queue,dataset --json out.json"
    assert command(words) == 0
    shown = capsys.readouterr()
    assert "dataset:next_per_tower failed: RuntimeError: this model hates datasets" in shown.err
    printed = shown.err.split("what the process of dataset:next_per_tower printed last:\n")[1]
    assert 'raise RuntimeError("this model hates datasets")' in printed
    rows = {row["candidate"]: row for row in json.load(open("out.json"))["rows"]}
    assert rows["dataset:next_per_tower"]["failed"] == "RuntimeError: this model hates datasets"
    assert rows["feed"]["failed"] is None is rows["queue"]["failed"]
    assert "verdict: no verdict: dataset:next_per_tower, the one to compare with, failed" in shown.out


def living(processes):
    """Returns those that run: not gone, nor ended and waited for by nobody."""
    import psutil

    found = []
    for each in processes:
        try:
            if each.is_running() and each.status() != psutil.STATUS_ZOMBIE:
                found.append(each)
        except psutil.NoSuchProcess:
            pass
    return found


@pytest.mark.alone
@pytest.mark.slow
def test_ctrl_c_ends_it_and_all_its_processes(folder):
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
