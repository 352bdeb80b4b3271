"""The toolkit's own step in a bare session against a hand-written `session.run` loop on the same graph.

    python tests/benchmarks/step_overhead.py

The graph of 4 towers is the same for both, and so is the session; what is timed is what `step.running` adds to
`session.run(step.train_op)`. The size of the model makes a step take about 5 ms on 2 cores; both loops must have moved
the global step by their number of calls.
"""
import numpy as np
from timing import interleaved, report

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS = 4


def model_fn(batch, mode):
    net = batch["x"]
    for _ in range(3):
        net = tf.layers.dense(net, 384, tf.nn.relu)
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.layers.dense(net, 1))))


def main():
    arrays = {"x": np.random.RandomState(0).normal(size=[4096, 128]).astype(np.float32)}
    examples = lt.Examples.from_arrays(arrays, shuffle=False)
    step = lt.build_train_step(
        model_fn,
        lt.inputs.dataset(examples, per_tower_batch_size=32),
        tf.train.GradientDescentOptimizer(0.01),
        lt.devices.cpus(TOWERS),
    )
    print("TensorFlow {}".format(tf.__version__))
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        before = session.run(step.global_step)
        rounds, warm_up, repeats = 60, 10, 10
        times = interleaved(
            {"session.run": lambda: session.run(step.train_op), "step.running": run}, rounds, warm_up, repeats
        )
        assert session.run(step.global_step) - before == 2 * (rounds + warm_up) * repeats
    report(times, "session.run")


if __name__ == "__main__":
    main()
