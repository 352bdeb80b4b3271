"""The cost of `lt.inputs.feed` from arrays, compared with a hand-written loop that feeds slices of the same arrays.

    python tests/benchmarks/feeding.py
    python tests/benchmarks/feeding.py --only shuffled --rounds 51

A step of about 1.4 ms on 2 cores: 2 towers, 32 rows of 256 float32 each. Both loops run the same graph in the same
session and take turns: a hand-written loop that slices (or, shuffled, gathers) the next rows of each tower and passes
them in feed_dict; and the input pipeline, by `step.running(session)`, against `session.run(train_op, feed_dict)` in a
plain session, and by the step's hooks in a MonitoredSession, against a hand-written feed in a MonitoredSession without
hooks. All fetch the loss. Nothing is learned (the rate is 0), so the loss of a step shows which rows it had: both loops
must return the same losses, bit for bit, and in a pass before the clock runs, the same row numbers in each tower.
"""
import argparse
import statistics

import numpy as np
from timing import interleaved

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.data.start import epoch_order
from legacy_towers.measure.statistics import ratio_interval

TOWERS, ROWS, COLUMNS, COUNT, SEED = 2, 32, 256, 4096, 7
STEP = TOWERS * ROWS
KINDS = {
    "ordered": dict(shuffle=False),
    "shuffled": dict(shuffle=True),
    "background": dict(shuffle=False, background=True),
    "background, shuffled": dict(shuffle=True, background=True),
}


def net(width):
    def model_fn(batch, mode):
        x = batch["x"][:, 1:]  # the first column is the row number
        for layer, units in enumerate([width, width, 1]):
            initializer = tf.random_normal_initializer(stddev=0.05, seed=layer)
            weights = tf.get_variable("weights_{}".format(layer), [x.shape[-1], units], initializer=initializer)
            x = tf.matmul(x, weights)
            x = tf.nn.relu(x) if units > 1 else x
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(x)))

    return model_fn


class Hand:
    """The hand-written loop: the next rows of each tower, epoch after epoch, without an incomplete last step."""

    def __init__(self, rows, placeholders, shuffled):
        self._rows, self._placeholders, self._shuffled = rows, placeholders, shuffled
        self._start, self._order, self._epoch = COUNT, None, 0

    def feed_dict(self):
        if self._start == COUNT:
            self._start = 0
            self._order = epoch_order(COUNT, SEED, self._epoch) if self._shuffled else None
            self._epoch += 1
        start, feed = self._start, {}
        for tower, placeholder in enumerate(self._placeholders):
            own = slice(start + tower * ROWS, start + (tower + 1) * ROWS)
            feed[placeholder] = self._rows[own] if self._order is None else self._rows[self._order[own]]
        self._start = start + STEP
        return feed


class Given(tf.train.SessionCreator):
    """Returns the given session instead of creating one."""

    def __init__(self, session):
        self._session = session

    def create_session(self):
        return self._session


def compare(name, options, rows, arguments, loops):
    with tf.Graph().as_default():
        inputs = lt.inputs.feed(
            lt.Examples.from_arrays({"x": rows}, shuffle=options["shuffle"], seed=SEED), per_tower_batch_size=ROWS,
            order="any" if options["shuffle"] else "fixed", background=options.get("background", False),
        )
        step = lt.build_train_step(
            net(arguments.width), inputs, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(TOWERS)
        )
        placeholders = [batch["x"] for batch in step.input.per_tower]
        numbers = [tf.identity(placeholder[:, 0]) for placeholder in placeholders]
        loops(name, step, numbers, Hand(rows, placeholders, options["shuffle"]), arguments)
        hook = next(hook for hook in step.hooks if hasattr(hook, "copied_bytes"))
        print("    fed {:.0f} MB, copied {:.0f} MB".format(hook.fed_bytes / 1e6, hook.copied_bytes / 1e6))


def in_session(name, step, numbers, hand, arguments):
    wanted = [step.train_op, step.loss]
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        turns(
            name + ", Session", lambda: session.run(wanted, hand.feed_dict())[1], lambda: run(step.loss),
            lambda: session.run([numbers, wanted], hand.feed_dict())[0], lambda: run(numbers), arguments,
        )


def in_monitored_session(name, step, numbers, hand, arguments):
    wanted = [step.train_op, step.loss]
    config = lt.session_config(logical_cpus=TOWERS)
    with tf.train.SingularMonitoredSession(hooks=step.hooks, config=config) as ours:
        # In the running session: a second one would have its own variables.
        plain = tf.train.MonitoredSession(session_creator=Given(ours.raw_session()))
        turns(
            name + ", MonitoredSession", lambda: plain.run(wanted, hand.feed_dict())[1], lambda: ours.run(wanted)[1],
            lambda: plain.run([numbers, wanted], hand.feed_dict())[0], lambda: ours.run([numbers, wanted])[0],
            arguments,
        )


def turns(name, by_hand, by_pipeline, hand_numbers, pipeline_numbers, arguments):
    for _ in range(COUNT // STEP + 3):
        np.testing.assert_array_equal(hand_numbers(), pipeline_numbers())
    losses = {"hand": [], "pipeline": []}
    times = interleaved({
        "hand": lambda: losses["hand"].append(by_hand()), "pipeline": lambda: losses["pipeline"].append(by_pipeline()),
    }, arguments.rounds, 3, arguments.steps)
    assert losses["hand"] == losses["pipeline"] and len(set(losses["hand"])) >= COUNT // STEP
    ratio = ratio_interval(times["hand"], times["pipeline"])
    print("{}: hand-written {:.3f} ms, lt.inputs.feed {:.3f} ms: {:.3f} ({:.3f} to {:.3f})".format(
        name, statistics.median(times["hand"]), statistics.median(times["pipeline"]), *ratio
    ), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=sorted(KINDS))
    parser.add_argument("--rounds", type=int, default=151)
    parser.add_argument("--steps", type=int, default=8, help="steps per turn")
    parser.add_argument("--width", type=int, default=384, help="units of the hidden layers: the time of a step")
    arguments = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}; the ratio is the pipeline's steps/s over the hand-written loop's".format(tf.__version__))
    rows = lt.inputs.aligned_empty([COUNT, COLUMNS], np.float32)
    rows[:] = np.random.RandomState(0).normal(size=rows.shape)
    rows[:, 0] = np.arange(COUNT)
    for name, options in KINDS.items():
        for loops in (in_session, in_monitored_session):
            if arguments.only in (None, name):
                compare(name, options, rows, arguments, loops)


if __name__ == "__main__":
    main()
