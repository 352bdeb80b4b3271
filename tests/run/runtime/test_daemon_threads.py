"""Daemon threads that are inside a session run when the script ends."""
import subprocess
import textwrap
import threading

import preloaded
import pytest
from run.runtime.prepared import script

from legacy_towers.run.runtime.daemon_threads import DaemonThreads


def test_a_session_run_of_a_thread_does_not_return_after_the_end():
    daemon_threads, inside, leave, returned = DaemonThreads(), threading.Event(), threading.Event(), threading.Event()

    def call():
        inside.set()
        return leave.wait(60.0)

    def run():
        daemon_threads.run(call)
        returned.set()

    threading.Thread(target=run, daemon=True).start()
    assert inside.wait(60.0)
    threading.Timer(0.05, leave.set).start()
    daemon_threads.wait()
    assert leave.is_set() and not returned.wait(0.05)
    # The main thread is not blocked: it closes sessions after the end.
    assert daemon_threads.run(lambda number: number + 1, 2) == 3


def test_callables_and_runs_of_threads_are_tracked():
    with script() as (tf, run), tf.Graph().as_default(), tf.Session() as session:
        seen = []
        look = tf.py_func(lambda: seen.append(len(run.runtime.daemon_threads._inside)), [], [])
        for call in (session.make_callable(look), lambda: session.run(look)):
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
            call()
    assert seen == [1, 0, 1, 0]


SCRIPT = """
    import sys, threading, time
    import tensorflow as tf

    product = tf.reduce_sum(tf.matmul(tf.random_normal([200, 200]), tf.random_normal([200, 200])))
    session = tf.Session()

    def work():
        while True:
            session.run(product)

    for _ in range(4):
        thread = threading.Thread(target=work)
        thread.daemon = True
        thread.start()
    time.sleep(0.3)
    sys.exit(3)
"""


@pytest.mark.slow
def test_running_daemon_threads_do_not_abort_the_process(tmp_path):
    # Without DaemonThreads, one run of four aborted on TensorFlow 2.21.
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    for _ in range(2):
        command = [preloaded.executable(), "-m", "legacy_towers", "run", str(path)]
        done = subprocess.run(command, cwd=str(tmp_path), timeout=300)
        assert done.returncode == 3
