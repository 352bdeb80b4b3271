"""legacy-towers bottleneck on scripts whose bottleneck was planted: far larger than all the rest."""
import json
import os
import signal
import subprocess
import sys
import textwrap

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


def bottleneck(tmp_path, text, *options, **environment):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "legacy_towers", "bottleneck", *options, str(script)]
    return processes.run(command, cwd=str(tmp_path), **environment)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("text, said", [
    pytest.param(SLOW_QUEUE, "waits for input at batch", id="queue"),
    pytest.param(SLOW_PYTHON, "is Python between the session runs", id="python"),
    pytest.param(SLOW_LISTS, "makes arrays of what is fed to Placeholder:0", id="lists"),
    pytest.param(SLOW_STEP, " computes", id="step"),
])
def test_a_planted_bottleneck_is_found(tmp_path, text, said):
    done = bottleneck(tmp_path, text, "--steps", "30", "--warm-up", "5", "--json", "figures.json")
    assert done.returncode == 0, done.stderr
    assert "ended after 35 session runs (--warm-up and --steps)" in done.stderr
    verdict = done.stdout.splitlines()[-1]
    assert said in verdict
    if "Python between" in said:
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


@pytest.mark.slow
def test_a_script_that_fails_fails_as_ever(tmp_path):
    done = bottleneck(tmp_path, "import tensorflow as tf\nraise ValueError('its own')\n", "--json", "figures.json")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("ValueError: its own")
    assert "legacy-towers: nothing can be told, and " in done.stderr and "no session run of the script" in done.stderr
    assert not (tmp_path / "figures.json").exists() and not done.stdout


UNTOLD = {
    "no session": ("import tensorflow as tf\n", "no session run of the script came to its end"),
    "one run": (COMMON + """
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
    """, "no session run came three times (1 session run was seen; --warm-up 10 leaves out the first)"),
    "no TensorFlow": ("print('nothing')\n", "the script did not come to import TensorFlow"),
    "ended well": ("import sys\nsys.exit(0)\n", "the script did not come to import TensorFlow"),
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
@pytest.mark.parametrize("text, words", list(UNTOLD.values()), ids=list(UNTOLD))
def test_nothing_to_tell_is_one_sentence_and_exit_code_1(tmp_path, text, words):
    done = bottleneck(tmp_path, text)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("legacy-towers: nothing can be told: ")]
    assert words in said


# It takes Ctrl-C for its end, wherever it is.
INTERRUPTED = {
    "before TensorFlow": ("print('ready', flush=True)\nimport time\ntime.sleep(60)\n", "did not come to import"),
    "before a run": (COMMON + """
    print('ready', flush=True)
    time.sleep(60)
    """, "no session run of the script came to its end"),
    "among the steps": (SLOW_STEP.replace("while True:\n            sess.run(op)", """for number in range(10 ** 9):
            sess.run(op)
            if number == 40:
                print('ready', flush=True)"""), None),
}


@pytest.mark.slow
@pytest.mark.parametrize("text, words", list(INTERRUPTED.values()), ids=list(INTERRUPTED))
def test_ctrl_c_ends_it_without_a_traceback(tmp_path, text, words):
    (tmp_path / "script.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "legacy_towers", "bottleneck", "--steps", "1000000000", "script.py"]
    process = subprocess.Popen(
        command, cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2"),
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    said = [line for line in err.splitlines() if line.startswith("legacy-towers: ")]
    assert said[-1] == "legacy-towers: interrupted"
    if words is None:
        assert len(said) == 1 and " of a step (" in out.splitlines()[-1]
    else:
        assert words in said[0] and len(said) == 2 and not out


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
def test_an_output_that_takes_nothing_is_no_traceback(tmp_path, command, text, codes):
    (tmp_path / "script.py").write_text(textwrap.dedent(text))
    words = "{} -m legacy_towers {} script.py".format(sys.executable, command)
    # A reader that has gone; a disk that is full; no standard output at all.
    for where, code in (("| true; exit ${PIPESTATUS[0]}", codes[0]), ("> /dev/full", codes[1]), (">&-", 0)):
        done = processes.run(["bash", "-c", "{} {}".format(words, where)], cwd=str(tmp_path))
        said = [line for line in done.stderr.splitlines() if line.startswith("legacy-towers: ")]
        assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
        assert len(said) == (1 if "full" in where else 0) and all("No space left" in line for line in said)


@pytest.mark.parametrize("words, code, said", [
    (["-m", "no_such_module"], 2, "there is no module 'no_such_module'"),
    (["broken.py"], 1, "SyntaxError"),
])
def test_what_never_began_is_said_once(tmp_path, words, code, said):
    (tmp_path / "broken.py").write_text("def f(:\n")
    done = processes.run([sys.executable, "-m", "legacy_towers", "bottleneck"] + words, cwd=str(tmp_path))
    assert done.returncode == code and said in done.stderr and "nothing can be told" not in done.stderr


# By make_callable, without feeds and with a list of them; in the second, what is fed takes its time.
CALLABLES = [
    (SLOW_STEP.replace("sess.run(op)\n", "step()\n").replace("while", "step = sess.make_callable(op)\n        while"),
     " computes"),
    (SLOW_LISTS.replace("sess.run(op, feed_dict={x: rows})", "step(rows)").replace(
        "while", "step = sess.make_callable(op, [x])\n        while"), "makes arrays of what is fed to Placeholder:0"),
    (SLOW_STEP.replace("sess.run(op)\n", "step(run_metadata=tf.RunMetadata())\n").replace(
        "while", "step = sess.make_callable(op, accept_options=True)\n        while"), " computes"),
]


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("text, said", CALLABLES, ids=["no-feeds", "a-list-of-feeds", "with-options"])
def test_steps_of_make_callable_are_watched(tmp_path, text, said):
    done = bottleneck(tmp_path, text, "--steps", "30", "--warm-up", "5")
    assert done.returncode == 0, done.stderr
    assert "ended after 35 session runs" in done.stderr and said in done.stdout.splitlines()[-1]


def test_the_script_imports_tensorflow_first(tmp_path):
    text = """
        import os, sys
        print([name in sys.modules for name in ("tensorflow", "numpy")], os.environ.get("TF_CPP_MIN_LOG_LEVEL"))
    """
    done = bottleneck(tmp_path, text, TF_CPP_MIN_LOG_LEVEL=None)
    assert done.stdout == "[False, False] None\n"


def test_help_shows_no_option_that_is_refused(tmp_path):
    done = bottleneck(tmp_path, "", "--help")
    assert done.returncode == 0 and "--report" in done.stdout and "--timeout-steps" not in done.stdout


@pytest.mark.parametrize("options, message", [
    (["--steps", "4"], "at least 5"),
    (["--json", "gone/figures.json"], "the figures can't be written to gone/figures.json: there is no folder"),
    (["--timeout-steps", "5"], "--warm-up and --steps say when the script ends"),
    (["--no-such"], "there is no option --no-such"),
    (["--warmup", "3"], "there is no option --warmup, did you mean --warm-up?"),
])
def test_wrong_usage_is_one_sentence(tmp_path, options, message):
    done = bottleneck(tmp_path, "", *options)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
