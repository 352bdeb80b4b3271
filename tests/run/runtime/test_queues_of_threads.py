"""`--queues-to-dataset`: scripts whose threads fill a queue end as they did without it."""
import subprocess
import textwrap

import preloaded
import pytest

HEAD = """
import threading
import time

import numpy as np
import tensorflow as tf

value = tf.placeholder(tf.float32, [3])
queue = tf.FIFOQueue(5, [tf.float32], [[3]], name="q")
enqueue, close = queue.enqueue([value]), queue.close()
batch = tf.reduce_sum(tf.train.batch([queue.dequeue() + 1], 4, capacity=8))


def put(session, numbers):
    for number in numbers:
        session.run(enqueue, {value: np.full(3, number)})


def in_thread(target, *arguments):
    thread = threading.Thread(target=target, args=arguments)
    thread.start()
    return thread
"""

ENDS = {
    "the thread closes the queue": """
def fill(session):
    put(session, range(10))
    session.run(close)


with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    tf.train.start_queue_runners(session, coordinator)
    thread = in_thread(fill, session)
    try:
        while not coordinator.should_stop():
            print(session.run(batch))
    except tf.errors.OutOfRangeError:
        print("end")
    coordinator.request_stop()
    thread.join()
""",
    "the loop ends first, and the queue is closed by an operation of its own": """
def fill(session, coordinator):
    try:
        while not coordinator.should_stop():
            put(session, [1])
    except tf.errors.CancelledError:
        pass


with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    thread = in_thread(fill, session, coordinator)
    for _ in range(5):
        print(session.run(batch))
    coordinator.request_stop()
    session.run(queue.close(cancel_pending_enqueues=True))
    coordinator.join(threads + [thread])
    print("end")
""",
    "the session is closed while the thread waits for room": """
def fill(session):
    try:
        while True:
            put(session, [1])
    except (tf.errors.CancelledError, RuntimeError):
        print("end")


with tf.Session() as session:
    tf.train.start_queue_runners(session)
    thread = in_thread(fill, session)
    print(session.run(batch))
    while session.run(queue.size()) < 5:
        time.sleep(0.01)
thread.join()
""",
    "the program ends while tf.data waits for an element": """
session = tf.Session()
tf.train.start_queue_runners(session)
put(session, range(9))
print(session.run(batch), session.run(batch))
""",
    "the program ends while a daemon thread fills the queue": """
def fill():
    while True:
        put(session, [1])


session = tf.Session()
tf.train.start_queue_runners(session)
thread = threading.Thread(target=fill)
thread.daemon = True
thread.start()
for _ in range(5):
    print(session.run(batch))
""",
    "a MonitoredSession": """
def fill(session):
    try:
        put(session, range(12))
        session.run(close)
    except (tf.errors.CancelledError, RuntimeError):
        pass


tf.train.get_or_create_global_step()
with tf.train.MonitoredTrainingSession() as session:
    thread = in_thread(fill, session._tf_sess())
    while not session.should_stop():
        print(session.run(batch))
thread.join()
""",
}


def run(path, *options):
    command = [preloaded.executable(), "-m", "legacy_towers", "run"] + list(options) + [str(path)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120,
                          cwd=str(path.parent))


@pytest.mark.parametrize("end", sorted(ENDS))
def test_a_script_prints_the_same_and_ends(end, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(HEAD) + "\n\n" + ENDS[end].strip() + "\n")
    before, after = run(path), run(path, "--queues-to-dataset")
    assert "'batch/fifo_queue' is read by tf.data: same sequence; Python code fills 'q' as before" in after.stderr
    assert (after.returncode, after.stdout) == (before.returncode, before.stdout) and before.returncode == 0
    assert before.stdout.count("\n") >= 1 and "Traceback" not in after.stderr
