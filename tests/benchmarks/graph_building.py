"""The time to build the graph and its size for 1 to 64 towers, with build_train_step and with a hand-written loop.

    python tests/benchmarks/graph_building.py

A net of 8 layers with momentum. Both build the same towers on one set of variables, average the gradients with one
add_n per variable, and apply them. Times are medians of interleaved builds, each in its own graph.

Nodes grow linearly, and so do the seconds up to about 32 towers. Beyond that, `tf.gradients` takes longer in both: for
each tower it follows the shared variables into all towers, which is a third of the time at 64 towers (cProfile:
`_MarkReachedOps`). The checks and the plan of build_train_step are 2 % of it.
"""
import argparse
import gc
import statistics
import time

import legacy_towers as lt
from legacy_towers.compat import tf

LAYERS, WIDTH, ROWS = 8, 64, 8


def loss_of(x):
    for layer in range(LAYERS):
        with tf.variable_scope("layer_{}".format(layer)):
            weights = tf.get_variable("weights", [WIDTH, WIDTH])
            biases = tf.get_variable("biases", [WIDTH], initializer=tf.zeros_initializer())
            x = tf.nn.relu(tf.matmul(x, weights) + biases)
    return tf.reduce_mean(tf.square(x))


def batch(device):
    with tf.device(device):
        return tf.random_uniform([ROWS, WIDTH])


def ours(towers):
    devices = lt.devices.cpus(towers)
    lt.build_train_step(
        lambda x, mode: lt.TowerOutput(loss=loss_of(x)),
        lt.inputs.from_tensors(per_tower=[batch(device) for device in devices]),
        tf.train.MomentumOptimizer(0.1, 0.9),
        devices,
    )


def by_hand(towers):
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    of_towers = []
    for tower, device in enumerate(lt.devices.cpus(towers)):
        setter = tf.train.replica_device_setter(
            worker_device=device, ps_device="/cpu:0", ps_tasks=1, ps_ops=["VarHandleOp"]
        )
        x = batch(device)
        with tf.device(setter), tf.variable_scope("", reuse=tower > 0, use_resource=True):
            with tf.name_scope("tower_{}".format(tower)):
                of_towers.append(optimizer.compute_gradients(loss_of(x)))
    with tf.device("/cpu:0"):
        averaged = [
            (tf.add_n([gradient for gradient, _ in pairs]) * (1.0 / towers), pairs[0][1]) for pairs in zip(*of_towers)
        ]
        optimizer.apply_gradients(averaged, step)


def built(build, towers):
    """Returns (seconds, number of operations) of one build.

    Python's garbage collector runs before it and not during it, which would affect one build or another by chance.
    """
    gc.collect()
    gc.disable()
    try:
        with tf.Graph().as_default() as graph:
            start = time.perf_counter()
            build(towers)
            return time.perf_counter() - start, len(graph.get_operations())
    finally:
        gc.enable()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}".format(tf.__version__))
    print("{:>6} {:>10} {:>10} {:>6} {:>12} {:>12} {:>6} {:>14}".format(
        "towers", "ours s", "by hand s", "ratio", "ours ops", "by hand ops", "ratio", "ms per tower"
    ))
    for towers in (1, 2, 4, 8, 16, 32, 64):
        pairs = [(built(ours, towers), built(by_hand, towers)) for _ in range(rounds + 1)][1:]
        seconds = [statistics.median(each[who][0] for each in pairs) for who in (0, 1)]
        ratio = statistics.median(mine[0] / theirs[0] for mine, theirs in pairs)
        operations = [pairs[0][who][1] for who in (0, 1)]
        print("{:6} {:10.3f} {:10.3f} {:6.2f} {:12,} {:12,} {:6.2f} {:14.1f}".format(
            towers, seconds[0], seconds[1], ratio, operations[0], operations[1], operations[0] / operations[1],
            1e3 * seconds[0] / towers
        ))


if __name__ == "__main__":
    main()
