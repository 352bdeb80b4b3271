"""The cost of `lt.inputs.staged` around an input pipeline, compared with the pipeline alone, on CPUs.

    python tests/benchmarks/staging.py
    python tests/benchmarks/staging.py --only queue

The step, its data and the form of the figures are those of feeding.py. Each candidate has a graph and a session of its
own, both in one process, and takes turns with the other in `step.running`. Both must read the same rows in order, so
that their losses are equal, bit for bit.
"""
import argparse
import statistics

import feeding
import numpy as np
from timing import interleaved

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.statistics import ratio_interval

PIPELINES = {
    "queue": lt.inputs.queue,
    "dataset:split": lambda *args, **options: lt.inputs.dataset(*args, route="split", **options),
    "dataset:next_per_tower": lambda *args, **options: lt.inputs.dataset(*args, route="next_per_tower", **options),
    "feed": lt.inputs.feed,
    "feed:background": lambda *args, **options: lt.inputs.feed(*args, background=True, **options),
}


class Loop:
    """A step of its own graph, running in its own session."""

    def __init__(self, make, rows, width, wrap):
        self.losses = []
        with tf.Graph().as_default():
            examples = lt.Examples.from_arrays({"x": rows}, shuffle=False)
            inputs = wrap(make(examples, per_tower_batch_size=feeding.ROWS, order="fixed"))
            self._step = lt.build_train_step(
                feeding.net(width), inputs, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(feeding.TOWERS)
            )
            self._session = tf.Session(config=lt.session_config(logical_cpus=feeding.TOWERS))
            self._running = self._step.running(self._session)

    def __enter__(self):
        self._session.__enter__()
        self._run = self._running.__enter__()
        return self

    def __exit__(self, *error):
        self._running.__exit__(*error)
        self._session.close()
        self._session.__exit__(None, None, None)

    def __call__(self):
        self.losses.append(self._run(self._step.loss))


def compare(name, make, rows, arguments):
    alone, staged = (Loop(make, rows, arguments.width, wrap) for wrap in (lambda inputs: inputs, lt.inputs.staged))
    with alone, staged:
        times = interleaved({"alone": alone, "staged": staged}, arguments.rounds, 3, arguments.steps)
    assert alone.losses == staged.losses and len(set(alone.losses)) >= feeding.COUNT // feeding.STEP
    print("{}: alone {:.3f} ms, staged {:.3f} ms: {:.3f} ({:.3f} to {:.3f})".format(
        name, statistics.median(times["alone"]), statistics.median(times["staged"]),
        *ratio_interval(times["alone"], times["staged"])
    ), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=sorted(PIPELINES))
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--steps", type=int, default=20, help="steps per turn")
    parser.add_argument("--width", type=int, default=384, help="units of the hidden layers: the time of a step")
    arguments = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}; the ratio is the staged pipeline's steps/s over the pipeline's alone".format(tf.__version__))
    rows = np.random.RandomState(0).normal(size=[feeding.COUNT, feeding.COLUMNS]).astype(np.float32)
    for name, make in PIPELINES.items():
        if arguments.only in (None, name):
            compare(name, make, rows, arguments)


if __name__ == "__main__":
    main()
