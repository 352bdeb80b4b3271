"""Examines the graphs of scripts that run in the test process."""
import linecache
import textwrap

from run.runtime import prepared

from legacy_towers.doctor.examine import examine
from legacy_towers.run.runtime.observation import Observer

BEGIN = """
import numpy as np
w = tf.get_variable("w", [1, 1])
coord = tf.train.Coordinator()

def train(x):
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(tf.matmul(tf.reshape(x, [-1, 1]), w)))

def steps(op, count=3, local=True, coord=coord):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        if local:
            sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for _ in range(count):
                sess.run(op)
        finally:
            if coord is not None:
                coord.request_stop()
                coord.join(threads)
"""


def findings(source, select=()):
    """Runs `source` after `BEGIN`, with `tf` as under `legacy-towers run`, and returns what the checks find."""
    with prepared.script() as (tf, run), tf.Graph().as_default():
        run.runtime.observer = Observer()
        text = BEGIN + textwrap.dedent(source)
        linecache.cache["examined.py"] = (len(text), None, text.splitlines(True), "examined.py")  # evidence shows lines
        code = compile(text, "examined.py", "exec")
        exec(code, {"tf": tf})
        return examine(run.runtime.observer.graphs.items(), select)


def codes(source):
    """Returns the codes of the findings, sorted."""
    return sorted(each.check.code for each in findings(source))


def line_of(source, text):
    """Returns the number of the line of `source`, after `BEGIN`, that contains `text`."""
    lines = (BEGIN + textwrap.dedent(source)).split("\n")
    return [number for number, line in enumerate(lines, 1) if text in line][-1]
