"""Threads that are in session runs when the script ends."""
import subprocess
import sys
import textwrap
import threading

import pytest
from oldtf.machine.prepared import script

from legacy_towers.oldtf.machine.ending import Ending


def test_a_thread_does_not_come_back_after_the_end():
    ending, inside, leave, came_back = Ending(), threading.Event(), threading.Event(), threading.Event()

    def call():
        inside.set()
        return leave.wait(60.0)

    def run():
        ending.run(call)
        came_back.set()

    threading.Thread(target=run, daemon=True).start()
    assert inside.wait(60.0)
    threading.Timer(0.05, leave.set).start()
    ending.wait()
    assert leave.is_set() and not came_back.wait(0.05)
    # The main thread goes on: sessions are closed after the end, too.
    assert ending.run(lambda number: number + 1, 2) == 3


def test_callables_count_as_runs_and_those_of_the_main_thread_need_not():
    with script() as (tf, run), tf.Graph().as_default(), tf.Session() as session:
        seen = []
        look = tf.py_func(lambda: seen.append(len(run.machine.ending._inside)), [], [])
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
def test_threads_that_go_on_do_not_abort_the_script(tmp_path):
    # Left to themselves they did on TensorFlow 2.21, in one run of four.
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    for _ in range(4):
        done = subprocess.run([sys.executable, "-m", "legacy_towers", "run", str(path)], cwd=str(tmp_path), timeout=300)
        assert done.returncode == 3
