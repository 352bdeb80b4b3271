"""The cost per run of a session that a script creates under `legacy-towers run`, compared with TensorFlow's own.

    python tests/benchmarks/script_steps.py

Interleaved on one graph: TensorFlow's session, a script's session, and a script's session whose runs are counted
(`--timeout-steps`). Three steps: an empty one, one with feeds and fetches, and one of about 1 ms. Building the graph is
timed too: TensorFlow's graph and a script's, with an op on a GPU device.
"""
import argparse
import functools
import statistics

import numpy as np
from timing import interleaved

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.measure.statistics import median_interval, ratio_interval
from legacy_towers.run.runtime import options
from legacy_towers.run.runtime.symbols import SYMBOLS

ROUNDS, WARM_UP = 61, 5


def steps():
    """Returns name -> (fetches, feeds) of the default graph."""
    x = tf.placeholder(tf.float32, [16])
    matrix = tf.get_variable("matrix", [384, 384], initializer=tf.zeros_initializer())
    product = matrix
    for _ in range(3):
        product = tf.matmul(product, matrix)
    return {
        "an empty step": (tf.group(tf.no_op()), None),
        "a fed and fetched step": (x * 2.0, {x: np.ones(16, np.float32)}),
        "a step of about 1 ms": (product.op, None),
    }


def compare(name, calls, repeats=1):
    """Prints median and least times of each of `calls`, and their differences from and ratios to the first."""
    times = interleaved(calls, ROUNDS, WARM_UP, repeats)
    baseline, *others = times
    print("{}: {} {:.4f} ms (least {:.4f})".format(
        name, baseline, statistics.median(times[baseline]), min(times[baseline])
    ))
    for each in others:
        extra = median_interval([1e3 * (new - old) for old, new in zip(times[baseline], times[each])])
        ratio = ratio_interval(times[each], times[baseline])
        print("    {} {:.4f} ms (least {:.4f})".format(each, statistics.median(times[each]), min(times[each])), end="")
        print(": {:+.2f} ({:+.2f} to {:+.2f}) us, ratio {:.3f} ({:.3f} to {:.3f})".format(*tuple(extra) + tuple(ratio)))


def under_run(words):
    """Starts a script's run with command-line options; returns (the script's tf, the context of the run)."""
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    script_run = user_script.ScriptRun(__file__, ".", symbols=SYMBOLS)
    old = tree.module("tensorflow")
    user_script.begin(script_run)
    around = options.prepare(parser.parse_args(words), script_run)
    around.__enter__()
    return old, around


def build(graph_class, device):
    with graph_class().as_default(), tf.device(device):
        for _ in range(300):
            tf.no_op()


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}".format(tf.__version__))
    with tf.Graph().as_default():
        found = steps()
        initializer = tf.global_variables_initializer()
        sessions = {"TensorFlow's": tf.Session(config=tf.ConfigProto(allow_soft_placement=True))}
        for name, words in (("a script's", []), ("a counted one", ["--timeout-steps", "2000000000"])):
            old, around = under_run(words)
            sessions[name] = old.Session()
            around.__exit__(None, None, None)
            user_script.end()
        for session in sessions.values():
            session.run(initializer)
        for name, (fetches, feeds) in found.items():
            calls = {
                kind: functools.partial(session.run, fetches, feeds) for kind, session in sessions.items()
            }
            compare(name, calls, 20 if "1 ms" in name else 200)
    old, around = under_run([])
    for device in (None, "/gpu:1"):
        graphs = {"TensorFlow's": tf.Graph, "a script's": old.Graph}
        calls = {kind: functools.partial(build, graph_class, device) for kind, graph_class in graphs.items()}
        compare("300 ops under {}".format(device), calls)
    around.__exit__(None, None, None)


if __name__ == "__main__":
    main()
