"""Examples/s of a small net with legacy_towers, with a hand-written loop, and with comparable packages.

    pip install tensorpack
    python tests/benchmarks/peers.py --towers 2,4

A net of 4 layers of 256 units, 32 examples per tower, plain SGD, on logical CPU devices. Every candidate has its batch
in local variables on the towers' devices, starts from the same values, and is checked to compute the same steps: the
gradient of the mean over all examples, in numpy. The candidates take turns in one process. Printed are the median of
each and the 95 % interval of its ratio to the best of the other packages.

tensorpack's trainers use devices /gpu:0, ...: here their building blocks are used on CPU devices in the same way as in
its parameter-server and replicated trainers. MirroredStrategy reduces gradients in a TF1 graph, without an Estimator:
its loss is divided by the number of replicas, as its documentation requires.
"""
import argparse
import statistics
import time

import numpy as np
from small_net import RATE, ROWS, WIDTH, batches, in_numpy, start_values
from timing import interleaved

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.measure.statistics import ratio_interval

STEPS_CHECKED = 3


def loss_of(x):
    """Returns the loss of the net, with get_variable; the same code for every candidate."""
    for layer, value in enumerate(start_values()):
        with tf.variable_scope("layer_{}".format(layer)):
            weights = tf.get_variable("weights", [WIDTH, WIDTH], initializer=tf.constant_initializer(value))
            x = tf.tanh(tf.matmul(x, weights))
    return tf.reduce_mean(tf.square(x - 0.5))


def held(tower, device, rows):
    """Returns a tower's batch, from a local variable on its device: a constant would be folded into the net."""
    with tf.device(device), tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            "batch_{}".format(tower), initializer=rows, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        ).read_value()


def optimizer():
    return tf.train.GradientDescentOptimizer(RATE)


def cpus(towers):
    return ["/cpu:{}".format(tower) for tower in range(towers)]


class Ours:
    def __init__(self, make_strategy, make_reduction=lt.gradients.mean):
        self._make_strategy, self._make_reduction = make_strategy, make_reduction

    def __call__(self, towers, session_of):
        rows = batches(towers)
        step = lt.build_train_step(
            lambda batch, mode: lt.TowerOutput(loss=loss_of(batch)),
            lt.inputs.from_tensors(per_tower=[held(k, device, rows[k]) for k, device in enumerate(cpus(towers))]),
            optimizer(),
            cpus(towers),
            variables=self._make_strategy(cpus(towers)),
            reduction=self._make_reduction(),
        )
        session = session_of()
        run = step.running(session).__enter__()
        return run, session


def by_hand(towers, session_of):
    """A hand-written loop: one scope, reused; add_n on the variable's device."""
    rows = batches(towers)
    of_towers = []
    with tf.device("/cpu:0"):
        tf.train.get_or_create_global_step()
    for tower, device in enumerate(cpus(towers)):
        x = held(tower, device, rows[tower])
        setter = tf.train.replica_device_setter(
            worker_device=device, ps_device="/cpu:0", ps_tasks=1, ps_ops=["VarHandleOp", "VariableV2"]
        )
        with tf.device(setter), tf.variable_scope("net", reuse=tower > 0, use_resource=True):
            of_towers.append(optimizer().compute_gradients(loss_of(x)))
    averaged = []
    with tf.device("/cpu:0"):
        for pairs in zip(*of_towers):
            averaged.append((tf.add_n([gradient for gradient, _ in pairs]) / towers, pairs[0][1]))
        train_op = optimizer().apply_gradients(averaged, tf.train.get_global_step())
    return started(session_of(), train_op)


def tutorial(towers, session_of):
    """The loop of the CIFAR-10 tutorial, with its average_gradients."""
    rows = batches(towers)
    of_towers = []
    with tf.device("/cpu:0"):
        step = tf.train.get_or_create_global_step()
        with tf.variable_scope(tf.get_variable_scope()):
            for tower, device in enumerate(cpus(towers)):
                with tf.device(device), tf.name_scope("tower_{}".format(tower)):
                    loss = loss_of(held(tower, device, rows[tower]))
                    tf.get_variable_scope().reuse_variables()
                    of_towers.append(optimizer().compute_gradients(loss))
        averaged = []
        for pairs in zip(*of_towers):
            stacked = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], axis=0)
            averaged.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
        return started(session_of(), optimizer().apply_gradients(averaged, step))


def tensorpack_parameter_server(towers, session_of):
    from tensorpack.graph_builder.training import DataParallelBuilder
    from tensorpack.graph_builder.utils import LeastLoadedDeviceSetter, aggregate_grads_colocate

    rows = iter([held(k, device, each) for k, (device, each) in enumerate(zip(cpus(towers), batches(towers)))])
    setters = [LeastLoadedDeviceSetter(device, cpus(towers)) for device in cpus(towers)]
    of_towers = DataParallelBuilder.call_for_each_tower(
        list(range(towers)), lambda: optimizer().compute_gradients(loss_of(next(rows))), setters
    )
    return started(session_of(), optimizer().apply_gradients(aggregate_grads_colocate(of_towers)))


def tensorpack_replicated(towers, session_of):
    from tensorpack.graph_builder.training import DataParallelBuilder
    from tensorpack.graph_builder.utils import allreduce_grads_naive, merge_grad_list, split_grad_list

    rows = iter([held(k, device, each) for k, (device, each) in enumerate(zip(cpus(towers), batches(towers)))])
    before = set(tf.trainable_variables())

    def one_tower():
        own = [each for each in tf.trainable_variables() if each not in before]
        loss = loss_of(next(rows))
        own = [each for each in tf.trainable_variables() if each not in before and each not in own]
        return optimizer().compute_gradients(loss, own)

    of_towers = DataParallelBuilder.call_for_each_tower(
        list(range(towers)), one_tower, cpus(towers), [False] + [True] * (towers - 1)
    )
    gradients, variables = split_grad_list(of_towers)
    reduced = [allreduce_grads_naive(gradients, cpus(towers))] * towers
    ops = []
    for device, pairs in zip(cpus(towers), merge_grad_list(reduced, variables)):
        with tf.device(device):
            ops.append(optimizer().apply_gradients(pairs))
    return started(session_of(), tf.group(*ops))


def mirrored(towers, session_of):
    import tensorflow

    strategy = tensorflow.distribute.MirroredStrategy(cpus(towers))
    rows = [held(k, device, each) for k, (device, each) in enumerate(zip(cpus(towers), batches(towers)))]
    with strategy.scope():
        sgd = optimizer()

        def one_replica():
            context = tensorflow.distribute.get_replica_context()
            replica = context.replica_id_in_sync_group
            with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
                loss = loss_of(rows[int(tf.get_static_value(replica))]) / towers
            return sgd.minimize(loss)

        run = getattr(strategy, "run", None) or strategy.experimental_run_v2
        done = run(one_replica)
        ops = strategy.experimental_local_results(done)
    return started(session_of(), tf.group(*ops))


def started(session, train_op):
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return (lambda: session.run(train_op)), session


CANDIDATES = {
    "legacy_towers, ParameterServer": Ours(lambda devices: lt.variables.ParameterServer("/cpu:0")),
    "legacy_towers, Balanced": Ours(lt.variables.Balanced, lambda: lt.gradients.mean(on="variable")),
    "legacy_towers, Replicated": Ours(lambda devices: lt.variables.Replicated()),
    "by hand": by_hand,
    "tutorial": tutorial,
    "tensorpack, parameter server": tensorpack_parameter_server,
    "tensorpack, replicated": tensorpack_replicated,
    "MirroredStrategy": mirrored,
}


def build(make, towers):
    """Returns a function that runs one step, checked against numpy."""
    with tf.Graph().as_default() as graph:
        run, session = make(towers, lambda: tf.Session(graph=graph, config=lt.session_config(logical_cpus=towers)))
        for _ in range(STEPS_CHECKED):
            run()
        found = {}
        for variable in tf.global_variables():
            if variable.op.name.split("/")[-1] == "weights" and "replica" not in variable.op.name:
                layer = int(variable.op.name.split("layer_")[1][0])
                found.setdefault(layer, session.run(variable))
    for layer, expected in enumerate(in_numpy(towers, STEPS_CHECKED)):
        moved = np.abs(expected - start_values()[layer]).max()
        np.testing.assert_allclose(found[layer], expected, atol=1e-3 * moved, rtol=0)
    return run


def compared(towers, names, rounds):
    built = {}
    for name in names:
        try:
            built[name] = build(CANDIDATES[name], towers)
        except ImportError as error:
            print("{}: left out: {}".format(name, error))
    started_at = time.perf_counter()
    for run in built.values():
        for _ in range(20):
            run()
    steps = max(10, int(0.15 * 20 * len(built) / (time.perf_counter() - started_at)))
    times = interleaved(built, rounds=rounds, warm_up=2, repeats=steps)
    peers = [name for name in times if not name.startswith("legacy_towers")]
    best = min(peers, key=lambda name: statistics.median(times[name]))
    print("{} towers, {} examples per tower; {} rounds of {} steps".format(towers, ROWS, rounds, steps))
    print("{:34} {:>12} {:>10}   {}".format("", "examples/s", "ms", "speed over " + best))
    for name, values in times.items():
        median = statistics.median(values)
        ratio = ratio_interval(times[best], values)
        print("{:34} {:12,.0f} {:10.3f}   {:.3f} ({:.3f} to {:.3f})".format(
            name, 1e3 * towers * ROWS / median, median, *ratio
        ))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towers", default="2,4")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--candidates", default=",".join(CANDIDATES).replace(", ", "; "))
    options = parser.parse_args()
    names = [name.strip().replace("; ", ", ") for name in options.candidates.split(",")]
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}".format(tf.__version__))
    for towers in options.towers.split(","):
        compared(int(towers), names, options.rounds)


if __name__ == "__main__":
    main()
