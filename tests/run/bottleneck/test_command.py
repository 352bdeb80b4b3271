"""legacy-towers bottleneck on scripts whose bottleneck was planted: far larger than all the rest."""
import json
import os
import signal
import subprocess
import sys
import textwrap

import preloaded
import processes
import pytest

COMMON = """
    import sys, time
    import numpy as np
    import tensorflow as tf
    w = tf.get_variable("w", [4, 4], initializer=tf.ones_initializer())

    def train(x):
        return tf.train.GradientDescentOptimizer(1e-3).minimize(tf.reduce_mean(tf.square(tf.matmul(x, w))))
"""
SLOW_QUEUE = COMMON + """
    def read():
        time.sleep(0.03)
        return np.ones([4], np.float32)

    example = tf.py_func(read, [], tf.float32)
    example.set_shape([4])
    op = train(tf.train.batch([example], 1, num_threads=1, capacity=2))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while True:
                sess.run(op)
        finally:
            coord.request_stop()
"""
SLOW_PYTHON = COMMON + """
    def next_batch():
        time.sleep(0.03)
        return np.ones([4, 4], np.float32)

    x = tf.placeholder(tf.float32, [4, 4])
    op = train(x)
    with tf.train.MonitoredTrainingSession() as sess:
        while not sess.should_stop():
            sess.run(op, {x: next_batch()})
"""
SLOW_LISTS = COMMON + """
    x = tf.placeholder(tf.float32, [None, 4])
    op = train(x)
    rows = [[1.0, 2.0, 3.0, 4.0]] * 100000
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        while True:
            sess.run(op, feed_dict={x: rows})
"""
SLOW_STEP = COMMON + """
    big = tf.get_variable("big", [500, 500], initializer=tf.ones_initializer())
    value = big
    for _ in range(8):
        value = tf.matmul(value, big) * 1e-3
    op = tf.group(train(value[:4, :4]), value)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        while True:
            sess.run(op)
"""


def bottleneck(tmp_path, text, *options, python=None, **environment):
    """Runs the command in a process that finds TensorFlow imported, or by `python`."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    command = [python or preloaded.executable(), "-m", "legacy_towers", "bottleneck", *options, str(script)]
    return processes.run(command, cwd=str(tmp_path), **environment)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("text, expected", [
    pytest.param(SLOW_QUEUE, "waits for input at batch", id="queue"),
    pytest.param(SLOW_PYTHON, "is Python between the session runs", id="python"),
    pytest.param(SLOW_LISTS, "converts the values fed to Placeholder:0 to arrays", id="lists"),
    pytest.param(SLOW_STEP, " computes", id="step"),
])
def test_a_planted_bottleneck_is_found(tmp_path, text, expected):
    done = bottleneck(tmp_path, text, "--steps", "30", "--warm-up", "5", "--json", "figures.json")
    assert done.returncode == 0, done.stderr
    assert "ended after 35 session runs (--warm-up and --steps)" in done.stderr
    verdict = done.stdout.splitlines()[-1]
    assert expected in verdict
    if "Python between" in expected:
        assert "script.py:11 (next_batch)" in verdict
    assert json.loads((tmp_path / "figures.json").read_text())["verdict"] == verdict


# The thread's runs would be traced while those of the main thread are.
TWO_THREADS = COMMON + """
    import threading
    queue, x = tf.FIFOQueue(2, tf.float32, [[4, 4]]), tf.placeholder(tf.float32, [4, 4])
    enqueue, op = queue.enqueue(x), train(queue.dequeue())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())

        def load():
            while True:
                time.sleep(0.01)
                try:
                    sess.run(enqueue, {x: np.ones([4, 4])})
                except (tf.errors.CancelledError, RuntimeError):  # the session is closed
                    return

        thread = threading.Thread(target=load)
        thread.daemon = True
        thread.start()
        while True:
            sess.run(op)
            time.sleep(0.03)  # longer than the loading takes: its thread waits at the full queue
"""


@pytest.mark.alone
@pytest.mark.slow
def test_a_script_whose_threads_run_sessions_too(tmp_path):
    done = bottleneck(tmp_path, TWO_THREADS, "--steps", "30", "--warm-up", "5")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert "is Python between the session runs" in done.stdout.splitlines()[-1]


LEGACY_TOWERS = """
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(batch["x"] * tf.get_variable("w", []))))

    x = np.ones([8], np.float32)
    step = lt.build_train_step(
        model_fn, lt.inputs.dataset(lt.Examples.from_arrays({"x": x}), per_tower_batch_size=2),
        tf.train.GradientDescentOptimizer(1e-3), lt.devices.cpus(2),
    )
    config = lt.session_config(logical_cpus=2)
"""
LEGACY_TOWERS_LOOPS = {
    "monitored session": LEGACY_TOWERS + """
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=config) as sess:
        while not sess.should_stop():
            sess.run(step.train_op)
""",
    "bare session": LEGACY_TOWERS + """
    with tf.Session(config=config) as sess, step.running(sess) as run:
        while True:
            run()
""",
    "session of another graph": LEGACY_TOWERS + """
    with tf.Graph().as_default() as graph:
        op = tf.assign_add(tf.get_variable("v", [], use_resource=True), 1.0)
        start = tf.global_variables_initializer()
    with tf.Session(graph=graph) as sess:
        sess.run(start)
        while True:
            sess.run(op)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LEGACY_TOWERS_LOOPS))
def test_a_script_that_imports_tf_from_legacy_towers_compat_is_measured(tmp_path, name):
    done = bottleneck(tmp_path, LEGACY_TOWERS_LOOPS[name], "--steps", "20", "--warm-up", "5", "--json", "figures.json")
    assert done.returncode == 0, done.stderr
    assert "ended after 25 session runs (--warm-up and --steps)" in done.stderr
    assert json.loads((tmp_path / "figures.json").read_text())["verdict"] == done.stdout.splitlines()[-1]


@pytest.mark.slow
def test_a_script_that_fails_keeps_its_traceback_and_exit_code(tmp_path):
    done = bottleneck(tmp_path, "import tensorflow as tf\nraise ValueError('its own')\n", "--json", "figures.json")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("ValueError: its own")
    assert "legacy-towers: no step was measured, and " in done.stderr and "no session run of the script" in done.stderr
    assert not (tmp_path / "figures.json").exists() and not done.stdout


UNMEASURED = {
    "no session": ("import tensorflow as tf\n", "no session run of the script finished"),
    "one run": (COMMON + """
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
    """, "no session run was repeated three times (1 session run finished; --warm-up 10 leaves out the first steps)"),
    "no TensorFlow": ("print('nothing')\n", "the script did not import TensorFlow"),
    "a library's TensorFlow": (
        "import legacy_towers as lt\nlt.devices.available()\n",
        "add `import tensorflow as tf` or `from legacy_towers.compat import tf` at the top of the script",
    ),
    "ended well": ("import sys\nsys.exit(0)\n", "the script did not import TensorFlow"),
    "partial runs": (COMMON + """
    x = tf.placeholder(tf.float32, [4, 4])
    y, z = x * 2, x + 1
    with tf.Session() as sess:
        for _ in range(50):
            handle = sess.partial_run_setup([y, z], [x])
            sess.partial_run(handle, y, {x: np.ones([4, 4])})
            sess.partial_run(handle, z)
    """, "the steps of the script are partial runs (Session.partial_run), which TensorFlow can't trace"),
}


@pytest.mark.slow
@pytest.mark.parametrize("text, message", list(UNMEASURED.values()), ids=list(UNMEASURED))
def test_a_script_without_steps_ends_with_a_message_and_exit_code_1(tmp_path, text, message):
    done = bottleneck(tmp_path, text, python=None if "import tensorflow as tf" in text else sys.executable)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (printed,) = [line for line in done.stderr.splitlines() if line.startswith("legacy-towers: no step was measured: ")]
    assert message in printed


# It takes Ctrl-C for its end, wherever it is.
INTERRUPTED = {
    "before TensorFlow": ("print('ready', flush=True)\nimport time\ntime.sleep(60)\n", "did not import TensorFlow"),
    "before a run": (COMMON + """
    print('ready', flush=True)
    time.sleep(60)
    """, "no session run of the script finished"),
    "among the steps": (SLOW_STEP.replace("while True:\n            sess.run(op)", """for number in range(10 ** 9):
            sess.run(op)
            if number == 40:
                print('ready', flush=True)"""), None),
}


@pytest.mark.slow
@pytest.mark.parametrize("text, message", list(INTERRUPTED.values()), ids=list(INTERRUPTED))
def test_ctrl_c_ends_it_without_a_traceback(tmp_path, text, message):
    (tmp_path / "script.py").write_text(textwrap.dedent(text))
    python = sys.executable if "did not import" in (message or "") else preloaded.executable()
    command = [python, "-m", "legacy_towers", "bottleneck", "--steps", "1000000000", "script.py"]
    process = subprocess.Popen(
        command, cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2"),
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    printed = [line for line in err.splitlines() if line.startswith("legacy-towers: ")]
    assert printed[-1] == "legacy-towers: interrupted"
    if message is None:
        assert len(printed) == 1 and " of a step (" in out.splitlines()[-1]
    else:
        assert message in printed[0] and len(printed) == 2 and not out


STEPS = COMMON + """
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(40):
            sess.run(w)
"""


@pytest.mark.slow
@pytest.mark.parametrize("command, text, codes", [
    pytest.param("bottleneck", STEPS, (141, 1), id="figures"),
    pytest.param("run --check", "x = 1\n", (141, 2), id="check"),
])
def test_an_output_that_can_not_be_written_is_reported_without_a_traceback(tmp_path, command, text, codes):
    (tmp_path / "script.py").write_text(textwrap.dedent(text))
    # A reader that has gone; a disk that is full; no standard output at all, which only a plain process can have.
    quick, plain = preloaded.executable(), sys.executable
    for python, where, code in (
        (quick, "| true; exit ${PIPESTATUS[0]}", codes[0]), (quick, "> /dev/full", codes[1]), (plain, ">&-", 0)
    ):
        line = "{} -m legacy_towers {} script.py {}".format(python, command, where)
        done = processes.run(["bash", "-c", line], cwd=str(tmp_path))
        printed = [line for line in done.stderr.splitlines() if line.startswith("legacy-towers: ")]
        assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
        assert len(printed) == (1 if "full" in where else 0) and all("No space left" in line for line in printed)


@pytest.mark.parametrize("arguments, code, message", [
    (["-m", "no_such_module"], 2, "there is no module 'no_such_module'"),
    (["broken.py"], 1, "SyntaxError"),
])
def test_a_script_that_never_starts_is_reported_once(tmp_path, arguments, code, message):
    (tmp_path / "broken.py").write_text("def f(:\n")
    done = processes.run([sys.executable, "-m", "legacy_towers", "bottleneck"] + arguments, cwd=str(tmp_path))
    assert done.returncode == code and message in done.stderr and "no step was measured" not in done.stderr


# By make_callable, without feeds and with a list of them; in the second, what is fed takes its time.
CALLABLES = [
    (SLOW_STEP.replace("sess.run(op)\n", "step()\n").replace("while", "step = sess.make_callable(op)\n        while"),
     " computes"),
    (SLOW_LISTS.replace("sess.run(op, feed_dict={x: rows})", "step(rows)").replace(
        "while", "step = sess.make_callable(op, [x])\n        while"),
         "converts the values fed to Placeholder:0 to arrays"),
    (SLOW_STEP.replace("sess.run(op)\n", "step(run_metadata=tf.RunMetadata())\n").replace(
        "while", "step = sess.make_callable(op, accept_options=True)\n        while"), " computes"),
]


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("text, expected", CALLABLES, ids=["no-feeds", "a-list-of-feeds", "with-options"])
def test_steps_of_make_callable_are_measured(tmp_path, text, expected):
    done = bottleneck(tmp_path, text, "--steps", "30", "--warm-up", "5")
    assert done.returncode == 0, done.stderr
    assert "ended after 35 session runs" in done.stderr and expected in done.stdout.splitlines()[-1]


def test_the_script_imports_tensorflow_first(tmp_path):
    text = """
        import os, sys
        print([name in sys.modules for name in ("tensorflow", "numpy")], os.environ.get("TF_CPP_MIN_LOG_LEVEL"))
    """
    done = bottleneck(tmp_path, text, python=sys.executable, TF_CPP_MIN_LOG_LEVEL=None)
    assert done.stdout == "[False, False] None\n"


def test_help_of_bottleneck_omits_timeout_steps(tmp_path):
    done = bottleneck(tmp_path, "", "--help")
    assert done.returncode == 0 and "--report" in done.stdout and "--timeout-steps" not in done.stdout


@pytest.mark.parametrize("options, message", [
    (["--steps", "4"], "at least 5"),
    (["--json", "gone/figures.json"], "the figures can't be written to gone/figures.json: there is no folder"),
    (["--timeout-steps", "5"], "--timeout-steps is an option of run; for bottleneck, pass --warm-up and --steps"),
    (["--no-such"], "there is no option --no-such"),
    (["--warmup", "3"], "there is no option --warmup, did you mean --warm-up?"),
])
def test_wrong_options_are_usage_errors(tmp_path, options, message):
    done = bottleneck(tmp_path, "", *options)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
