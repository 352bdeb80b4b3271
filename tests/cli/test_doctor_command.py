"""The command `legacy-towers doctor`."""
import json
import os
import sys
import textwrap

import preloaded
import processes
import pytest

from legacy_towers.cli import main
from legacy_towers.compat import tf
from legacy_towers.doctor import examine as _registered  # noqa: F401  # registers the checks
from legacy_towers.doctor import registry
from legacy_towers.doctor.catalog import descriptions

BLOCKED = """
    import tensorflow as tf
    number = tf.train.range_input_producer(10).dequeue()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        print("blocked", flush=True)
        sess.run(number)
"""
GROWING = """
    import sys
    import tensorflow as tf
    v = tf.get_variable("v", [])
    with tf.Session() as sess:
        sess.run(v.initializer)
        for i in range(100):
            sess.run(tf.assign(v, float(i)))
        print("not reached")
"""
FAILS = """
    import tensorflow as tf
    with tf.Session() as sess:
        sess.run(tf.constant(1))
    raise KeyError("own error")
"""


def doctor(tmp_path, text, *options):
    (tmp_path / "script.py").write_text(textwrap.dedent(text))
    command = [preloaded.executable(), "-m", "legacy_towers", "doctor", *options, "script.py"]
    return processes.run(command, cwd=str(tmp_path))


def test_a_run_that_never_ends_is_ended_and_reported(tmp_path):
    done = doctor(tmp_path, BLOCKED, "--timeout", "2")
    assert done.returncode == 1 and done.stdout.startswith("blocked\n"), done.stderr
    assert "legacy-towers: stopped: a session run took longer than 2 s (--timeout): script.py, line 8: " in done.stderr
    assert "script.py, line 3: number = tf.train.range_input_producer(10).dequeue()" in done.stdout
    assert "  error LD306 unstarted-queue-runners: " in done.stdout
    assert "\n1 error, 0 warnings in 1 graph, 3 session runs (1 step); `legacy-towers doctor --expl" in done.stdout


NOBODY_FILLS = """
    import tensorflow as tf
    queue = tf.FIFOQueue(2, [tf.float32], [[]])
    other = tf.FIFOQueue(2, [tf.float32], [[]], name="other")
    put, put_other = queue.enqueue(1.0), other.enqueue(1.0)
    taken = queue.dequeue() + other.dequeue()
    with tf.Session() as sess:
        sess.run(put_other)
        sess.run(taken)
"""


def test_a_queue_that_no_run_fills_is_reported_at_the_dequeue(tmp_path):
    done = doctor(tmp_path, NOBODY_FILLS, "--timeout", "2", "--json")
    assert done.returncode == 1 and "(--timeout): script.py, line 9: sess.run(taken)" in done.stderr
    (row,) = json.loads(done.stdout)["findings"]
    assert (row["code"], row["severity"], row["operation"]) == ("LD305", "error", "fifo_queue_Dequeue")
    assert row["line"] == "script.py, line 6: taken = queue.dequeue() + other.dequeue()"
    assert row["message"] == "it takes from 'fifo_queue': no queue runner and no session run enqueued anything"


def test_a_script_ends_after_its_steps_and_errors_set_the_exit_code(tmp_path):
    done = doctor(tmp_path, GROWING, "--steps", "8", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    (row,) = found["findings"]
    assert (row["code"], row["severity"]) == ("LD401", "error")
    assert row["line"] == "script.py, line 8: sess.run(tf.assign(v, float(i)))"
    assert doctor(tmp_path, GROWING, "--steps", "8", "--ignore", "LD4").returncode == 0


def test_the_script_s_own_error_follows_the_findings(tmp_path):
    done = doctor(tmp_path, FAILS)
    assert done.returncode == 1 and "KeyError: 'own error'" in done.stderr
    assert done.stdout.strip() == "0 errors, 0 warnings in 1 graph, 1 session run"


def meta_graph(path):
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(10, shuffle=False).dequeue()
        tf.train.shuffle_batch([number], 8, 20, min_after_dequeue=2)
        tf.train.export_meta_graph(str(path))
    return str(path)


def test_a_meta_graph_is_examined_without_running_it(tmp_path, capsys):
    assert main.main(["doctor", "--json", meta_graph(tmp_path / "model.meta")]) == 0
    (row,) = json.loads(capsys.readouterr().out)["findings"]
    assert (row["code"], row["operation"]) == ("LD301", "shuffle_batch/random_shuffle_queue")
    assert main.main(["doctor", "--select", "ld302", meta_graph(tmp_path / "model.meta")]) == 0
    assert capsys.readouterr().out.strip() == "0 errors, 0 warnings in the graph of {}, which was not run".format(
        tmp_path / "model.meta")


def test_explain_all_lists_the_checks(capsys):
    assert main.main(["doctor", "--explain", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("LD101 ") and len(lines) == len(descriptions())
    assert [line for line in lines if not line.endswith(("(error)", "(warning)"))] == []


def test_explain_prints_the_explanation_of_a_check(capsys):
    assert main.main(["doctor", "--explain", "ld301"]) == 0
    assert capsys.readouterr().out.startswith("LD301 small-shuffle (warning)\n\nA RandomShuffleQueue keeps")


JOB = """
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        w = tf.get_variable("w", [1, 1])
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], w) + b - 1.0)))

    @lt.job
    def lines(rate=0.1):
        x = np.ones([640, 1], np.float32)
        return lt.Job(model_fn, lt.Examples.from_arrays({"x": x}), tf.train.MomentumOptimizer(rate, 0.9),
                      per_tower_batch_size=4, epochs=90)
"""


def job_file(folder):
    (folder / "job.py").write_text(textwrap.dedent(JOB))
    return str(folder / "job.py")


def test_a_job_is_trained_for_some_steps_and_nothing_is_kept(tmp_path, capsys):
    options = ["--towers", "2", "--rate", "0.2", "--checkpoint-dir", str(tmp_path / "run")]
    assert main.main(["doctor", "--json", "--steps", "3", job_file(tmp_path) + ":lines"] + options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["findings"] == [] and found["examined"].startswith("1 graph, ")
    assert int(found["examined"].split()[2]) >= 3
    assert sorted(os.listdir(str(tmp_path))) in (["job.py"], ["__pycache__", "job.py"])


def test_an_option_that_the_job_lacks_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main.main(["doctor", job_file(tmp_path), "--no-such-option"])
    assert end.value.code == 2
    assert "there is no option --no-such-option; the job 'lines' has --rate" in capsys.readouterr().err


def test_a_checkpoint_is_examined_without_running_it(tmp_path, capsys):
    job = [job_file(tmp_path), "--steps", "2", "--checkpoint-dir", str(tmp_path / "run")]
    assert main.main(["train"] + job) == 0
    capsys.readouterr()
    for path in ("run", "run/model.ckpt-2"):
        assert main.main(["doctor", str(tmp_path / path)]) == 0
        out = capsys.readouterr().out
        assert out.startswith("0 errors, 0 warnings in the checkpoint ") and "(global step 2; 5 values; " in out


@pytest.mark.parametrize("arguments, message", [
    (["--explain", "LD999"], "no check has the code 'LD999'; see `legacy-towers doctor --explain all`"),
    (["--explain", "LT106"], "no check has the code 'LT106': codes that begin with LT are rules of migrate; see "
     "`legacy-towers migrate --explain LT106`"),
    (["--explain", "LD301", "train.py"], "--explain runs nothing: remove 'train.py'"),
    (["--explain", "LD399"], "no check has the code 'LD399': the closest are LD308, LD309, LD310; see "),
    (["--select", "LX", "{meta}"], "no check has the code 'LX'"),
    (["--select", "LD9", "{job}"], "no check has the code 'LD9'; see `legacy-towers doctor --explain all`"),
    (["{folder}/no.meta"], "no.meta: can't be read as a MetaGraph: "),
    (["{folder}/text.meta"], "text.meta: can't be read as a MetaGraph: "),
    (["{folder}/model.ckpt-7"], "there is no checkpoint "),
    (["{job}", "--towers", "0"], "--towers is 0: at least 1 is needed"),
    ([], "nothing is given: pass SCRIPT [ARGUMENTS], -m MODULE, JOB, MODEL.meta or CHECKPOINT"),
], ids=["unknown code", "a rule of migrate", "a script beside --explain", "code near others", "unknown selection",
        "unknown selection of a job", "no file", "not a MetaGraph", "no checkpoint", "wrong settings of the job",
        "no script"])
def test_wrong_arguments_are_errors(arguments, message, tmp_path, capsys):
    (tmp_path / "text.meta").write_text("text\n")
    meta = meta_graph(tmp_path / "model.meta")
    arguments = [each.format(meta=meta, folder=tmp_path, job=job_file(tmp_path)) for each in arguments]
    assert main.main(["doctor"] + arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_code_is_refused_before_the_script_runs(option, tmp_path):
    done = doctor(tmp_path, "print('ran')", option, "LD39")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("legacy-towers: error: no check has the code 'LD39': the closest are LD308, ")
    assert done.stderr.count("\n") == 1


def test_explanations_and_codes_import_no_tensorflow(tmp_path):
    text = "import sys\nfrom legacy_towers.cli.main import main\n" \
        "codes = [main(['doctor'] + each) for each in (['--explain', 'LD101'], ['--ignore', 'LD9', 'train.py'])]\n" \
        "print(codes, 'tensorflow' in sys.modules, 'numpy' in sys.modules)\n"
    done = processes.run([sys.executable, "-c", text], cwd=str(tmp_path))
    assert done.stdout.splitlines()[-1] == "[0, 2] False False", done.stderr


def test_descriptions_are_those_of_the_registered_checks():
    assert {code: tuple(each) for code, each in descriptions().items()} == {
        each.code: each[:4] for each in registry.checks()}


UNFILLED = """
    import tensorflow as tf
    queue = tf.FIFOQueue(2, [tf.float32], [[]])
    fed = tf.placeholder_with_default(queue.dequeue(), [])
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(w - fed))
    with tf.Session() as sess:
        sess.run(w.initializer)
        for i in range(3):
            sess.run(train, {fed: 1.0})
        print(sess.run(w))
"""


@pytest.mark.parametrize("options, count", [([], 1), (["--no-doctor"], 0)], ids=["by default", "--no-doctor"])
def test_run_prints_errors_once_when_training_starts(options, count, tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent(UNFILLED))
    command = [preloaded.executable(), "-m", "legacy_towers", "run"] + options + ["script.py"]
    done = processes.run(command, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr
    line = "legacy-towers: error LD305 unfilled-queue: script.py, line 3: queue = tf.FIFOQueue(2, [tf.float32], [[]]): "
    assert done.stderr.count(line) == done.stderr.count("LD305 unfilled") == count
