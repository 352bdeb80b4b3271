"""Examples/s of one net over several processes, with legacy_towers, in one process, and with TensorFlow's own means.

    python tests/benchmarks/workers.py --workers 2 4 --rounds 3 --net embedding

The nets of worker_nets.py: 32 examples per tower, plain SGD. "dense" has 4 layers of 256 units, "dense25m" 25 million
numbers, and "embedding" a table whose gradients are sparse. Each candidate trains in processes of its own, which
`legacy-towers launch` starts, and prints its losses: they are checked against numpy. The candidates take turns in
rounds. `towers` are those of a worker; one process has as many towers as all workers together. Printed are the median
of each, the CPU time of a step in the first worker, the bytes that a step sends (from the counters of the loopback
interface, which other programs must leave alone), the time from the start of the processes to the first step, and the
ratio to one process.

"legacy_towers" is `replicated`, by all-reduces, as MultiWorkerMirroredStrategy does it, which has one replica per
process on CPUs and runs on TensorFlow 2 with its own API, without legacy_towers. With one parameter server are
`parameter_server` and SyncReplicasOptimizer.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from small_net import LAYERS, RATE, ROWS, WIDTH
from worker_nets import loss_of, losses_in_numpy, net_of

WARM_UP = 5
SERVER = "legacy_towers, 1 parameter server"
CANDIDATES = ("legacy_towers", SERVER, "MultiWorkerMirroredStrategy", "SyncReplicasOptimizer")


def _sent():
    with open("/proc/net/dev") as lines:
        [line] = [each for each in lines if each.strip().startswith("lo:")]
    return int(line.split(":")[1].split()[0])


def measured(run, options, started):
    """Runs steps by `run`, which returns the loss of all examples; prints what was measured as JSON."""
    losses = [float(run())]
    first = time.time() - started
    losses += [float(run()) for _ in range(WARM_UP - 1)]
    sent, begun, used = _sent(), time.perf_counter(), time.process_time()
    losses += [float(run()) for _ in range(options.steps)]
    seconds, sent, used = time.perf_counter() - begun, _sent() - sent, time.process_time() - used
    print("measured " + json.dumps(
        {"seconds": seconds / options.steps, "sent": sent / options.steps, "cpu": used / options.steps, "start": first,
         "losses": losses[:4]}
    ), flush=True)


def with_legacy_towers(options, started):

    import legacy_towers as lt
    from legacy_towers.compat import tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    towers, workers = options.towers, options.of_workers
    config = lt.session_config(logical_cpus=towers)
    cluster, target, index = None, "", 0
    if workers > 1:
        cluster = lt.cluster.from_environment()
        index = cluster.task.task_index
        config = lt.cluster.session_config(cluster, logical_cpus=towers)
        server = lt.cluster.start(cluster, config=config)
        if cluster.task.type == "ps":
            server.join()
        target = server.target
    net = net_of(options.net, options.layers, options.width)
    rows = net.batches(towers * workers)[index * towers:(index + 1) * towers]

    def model_fn(batch, mode):
        variables = [
            tf.get_variable("weights_%d" % number, value.shape, initializer=tf.constant_initializer(value))
            for number, value in enumerate(net.values())
        ]
        return lt.TowerOutput(loss=loss_of(net, tf, variables, batch["x"]))

    with tf.Graph().as_default():
        inputs = lt.inputs.from_tensors([{"x": tf.constant(each)} for each in rows])
        step = lt.build_train_step(
            model_fn, inputs=inputs,
            optimizer=tf.train.GradientDescentOptimizer(RATE), devices=lt.devices.cpus(towers),
            variables="parameter_server" if cluster is not None and cluster.parameter_servers else "replicated",
            cluster=cluster,
        )
        with lt.training.session(step, None, last_step=None, config=config, target=target) as session:
            measured(lambda: session.run([step.train_op, step.loss])[1], options, started)


def with_mirrored_strategy(options, started):
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
    net = net_of(options.net, options.layers, options.width)
    rows = tf.constant(net.batches(options.of_workers)[index])
    with strategy.scope():
        first = tf.VariableAggregation.ONLY_FIRST_REPLICA
        weights = [tf.Variable(each, aggregation=first) for each in net.values()]

    def replica():
        own = [each.values[0] if hasattr(each, "values") else each for each in weights]
        with tf.GradientTape() as tape:
            loss = loss_of(net, tf, own, rows)
        gradients = tape.gradient(loss, own)
        reduced = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, gradients + [loss])
        for each, variable, gradient in zip(weights, own, reduced):
            if isinstance(gradient, tf.IndexedSlices):
                variable.scatter_sub(tf.IndexedSlices(RATE * gradient.values, gradient.indices))
            else:
                each.assign_sub(RATE * gradient)
        return reduced[-1]

    step = tf.function(lambda: strategy.experimental_local_results(strategy.run(replica))[0])
    measured(lambda: step().numpy(), options, started)


def with_sync_replicas(options, started):
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_eager_execution()
    tf.logging.set_verbosity(tf.logging.ERROR)

    config = json.loads(os.environ["TF_CONFIG"])
    kind, index = config["task"]["type"], config["task"]["index"]
    cluster = tf.train.ClusterSpec(config["cluster"])
    server = tf.train.Server(cluster, job_name=kind, task_index=index)
    if kind == "ps":
        server.join()
    with tf.Graph().as_default():
        device = tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=cluster)
        with tf.device(device):
            net = net_of(options.net, options.layers, options.width)
            variables = [
                tf.get_variable(
                    "weights_%d" % number, value.shape, initializer=tf.constant_initializer(value), use_resource=False
                )
                for number, value in enumerate(net.values())
            ]
            loss = loss_of(net, tf, variables, tf.constant(net.batches(options.of_workers)[index]))
            optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.GradientDescentOptimizer(RATE), options.of_workers, options.of_workers
            )
            train = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
        hook = optimizer.make_session_run_hook(index == 0, num_tokens=0)
        with tf.train.MonitoredTrainingSession(
            server.target, index == 0, hooks=[hook], stop_grace_period_secs=1,
            config=tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % index]),
        ) as session:
            measured(lambda: session.run([train, loss])[1], options, started)


def trained(candidate, workers, towers, options):
    """Returns what the first worker measured."""
    own = [sys.executable, os.path.abspath(__file__), "--be", candidate, "--towers", str(towers), "--of-workers",
           str(workers), "--steps", str(options.steps), "--started", repr(time.time()), "--net", options.net,
           "--layers", str(options.layers), "--width", str(options.width)]
    if workers > 1:
        servers = ["--ps", "1"] if candidate in (SERVER, "SyncReplicasOptimizer") else []
        own = [sys.executable, "-m", "legacy_towers", "launch", "--workers", str(workers)] + servers + ["--"] + own
    found = subprocess.run(own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=600)
    lines = [line for line in found.stdout.splitlines() if "measured {" in line]
    if not lines:
        raise RuntimeError("{} with {} workers:\n{}".format(candidate, workers, found.stdout[-3000:]))
    first = next((line for line in lines if line.startswith("[worker:0]")), lines[0])
    return json.loads(first[first.index("{"):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--towers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--net", choices=("dense", "dense25m", "embedding"), default="dense")
    parser.add_argument("--layers", type=int, default=LAYERS, help="of --net dense")
    parser.add_argument("--width", type=int, default=WIDTH, help="units of each layer of --net dense")
    parser.add_argument("--be", choices=CANDIDATES, help=argparse.SUPPRESS)
    parser.add_argument("--of-workers", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, default=0.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.be:
        functions = (with_legacy_towers, with_legacy_towers, with_mirrored_strategy, with_sync_replicas)
        run = dict(zip(CANDIDATES, functions))[options.be]
        run(options, options.started)
        return

    from legacy_towers.compat import tf
    from legacy_towers.measure.rounds import order_of_rounds
    from legacy_towers.measure.statistics import ratio_interval
    from legacy_towers.text.tables import format_table

    print("TensorFlow {}, {}".format(tf.__version__, options.net))
    rows = []
    for workers in options.workers:
        total = workers * options.towers
        expected = losses_in_numpy(net_of(options.net, options.layers, options.width), total, 4)
        sides = {
            "one process": ("legacy_towers", 1, total),
            "legacy_towers": ("legacy_towers", workers, options.towers),
            SERVER: (SERVER, workers, options.towers),
        }
        if options.towers == 1:
            sides["SyncReplicasOptimizer"] = ("SyncReplicasOptimizer", workers, 1)
            if not tf.__version__.startswith("1."):
                sides["MultiWorkerMirroredStrategy"] = ("MultiWorkerMirroredStrategy", workers, 1)
        found = {name: [] for name in sides}
        for order in order_of_rounds(list(sides), options.rounds):
            for name in order:
                result = trained(*sides[name], options=options)
                # SyncReplicasOptimizer gives each worker the loss of its own examples.
                if name != "SyncReplicasOptimizer" and not np.allclose(result["losses"], expected, rtol=1e-4):
                    raise AssertionError("{}: losses {} are not {}".format(name, result["losses"], expected))
                found[name].append(result)
        rates_of = {name: [total * ROWS / each["seconds"] for each in results] for name, results in found.items()}
        for name, results in found.items():
            rates = rates_of[name]
            ratio, of_own = (ratio_interval(rates, rates_of[base]) for base in ("one process", "legacy_towers"))
            rows.append([
                "{} x {}".format(workers, options.towers), name, "{:.0f}".format(statistics.median(rates)),
                "{:.2f} ({:.2f} to {:.2f})".format(*ratio), "{:.2f} ({:.2f} to {:.2f})".format(*of_own),
                "{:.1f}".format(1000 * statistics.median(each["cpu"] for each in results)),
                "{:.2f}".format(statistics.median(each["sent"] for each in results) / 2**20),
                "{:.1f}".format(statistics.median(each["start"] for each in results)),
            ])
            print(*rows[-1], flush=True)
    print(format_table(
        ["workers x towers", "candidate", "examples/s", "of one process", "of legacy_towers", "CPU ms",
         "MiB/step", "s to first step"], rows, "llrrrrrr"
    ))


if __name__ == "__main__":
    main()
