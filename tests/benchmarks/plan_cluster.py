"""Predicted and measured examples/s of a net over machines with slow links, which emulated_links.py makes. As root.

    python tests/benchmarks/plan_cluster.py --workers 2 4 --bandwidth 100Mbit --latency 0ms 10ms

For each number of workers, bandwidth and latency, a worker trains in each network namespace, and each parameter server
has one. All share the cores of this machine, which the prediction takes into account: each machine has its share of
them. The step of the net and what TensorFlow's runtime costs are measured before, as `legacy-towers plan-cluster` does.
Printed are examples/s and bytes of a worker and step, predicted and measured, and the ratio of the examples/s.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
from emulated_links import Links

PORT = 2222
WARM_UP = 2
# Times the steps, for asynchronous workers. Where nothing varies, their rounds overlap in one way for hundreds of
# rounds: with 2 workers a round took 0.52 s while both read at the same time, and 0.27 s while one read and the other
# sent. So each waits before every fifth round, at random for up to a round: what is measured is the mean of many
# overlaps, and what is predicted is a step that takes as much longer.
ASYNCHRONOUS_ROUNDS = 10
ROUNDS_BETWEEN_WAITS = 5
HERE = os.path.dirname(os.path.abspath(__file__))


def job_of(options):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    random = np.random.RandomState(0)
    data = {"x": random.normal(size=[1000, options.width]).astype(np.float32)}
    if options.words:
        data["word"] = random.randint(0, options.words, size=[1000, 8])

    def model_fn(batch, mode):
        x = batch["x"]
        if options.words:
            table = tf.get_variable("table", [options.words, options.width])
            # "div" is the order of rows for which a partitioned table can be looked up in.
            words = tf.nn.embedding_lookup(table, batch["word"], partition_strategy="div")
            x = x + tf.reduce_mean(words, axis=1)
        for layer in range(options.layers):
            x = tf.tanh(tf.matmul(x, tf.get_variable("weights_%d" % layer, [options.width, options.width])))
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(x - 0.5)))

    return lt.Job(
        model_fn, train=lt.Examples.from_arrays(data), per_tower_batch_size=32,
        optimizer=lambda step: tf.train.GradientDescentOptimizer(0.01),
    )


def work(options):
    """Trains by each strategy as one task of TF_CONFIG; the chief prints what it measures as JSON."""
    import legacy_towers as lt
    from legacy_towers.cluster.finished import publish_finished
    from legacy_towers.compat import tf
    from legacy_towers.training.building import build_job_step

    tf.logging.set_verbosity(tf.logging.ERROR)
    cluster = lt.cluster.from_environment()
    config = lt.cluster.session_config(cluster, logical_cpus=options.towers)
    server = lt.cluster.start(cluster, config=config, start_seconds=300)
    if cluster.task_type == "ps":
        publish_finished(cluster, server, {str(task) for task in cluster.training_tasks})  # no strategy waits for it
        server.join()
    for number, strategy in enumerate(options.strategies):
        used = cluster
        steps = options.steps * (ASYNCHRONOUS_ROUNDS if strategy.startswith("asynchronous") else 1)
        if strategy == "replicated":
            used = cluster._replace(jobs=tuple(each for each in cluster.jobs if each[0] != "ps"))
        config = lt.cluster.session_config(used, logical_cpus=options.towers)
        job = job_of(options).replace(variables=strategy)
        with tf.Graph().as_default(), tf.container("strategy{}".format(number)):
            inputs = lt.inputs.from_tensors([
                {name: tf.constant(values[:32]) for name, values in job.train.arrays.items()}
                for _ in range(options.towers)
            ])
            step = build_job_step(job, inputs, lt.devices.cpus(options.towers), cluster=used)
            step.watch_hook.seconds = 600.0
            hooks = [StopAfter(WARM_UP + steps)] if cluster.is_chief else []
            times, waits = [], []
            random = np.random.RandomState(cluster.task_index)
            with lt.training.session(step, None, hooks=hooks, config=config, target=server.target) as session:
                while not session.should_stop():
                    if strategy.startswith("asynchronous") and len(times) % ROUNDS_BETWEEN_WAITS == WARM_UP:
                        waits.append(random.uniform(0, np.mean(times[-ROUNDS_BETWEEN_WAITS:])))
                        time.sleep(waits[-1])
                    before = time.time()
                    session.run(step.train_op)
                    times.append(time.time() - before)
                    if len(times) == WARM_UP:
                        first, sent, begin = global_step(session, step), traffic(), time.time()
                    # The last step waits for the others to stop.
                    if len(times) == WARM_UP + steps - 1:
                        seconds = time.time() - begin
                        updates = global_step(session, step) - first
                        sent = (traffic() - sent) / (steps - 1)
        if cluster.is_chief:
            if strategy.startswith("asynchronous"):
                rate, waited = 32 * updates / seconds, sum(waits) / (steps - 1)
            else:
                rate = 32 * options.towers * cluster.workers / seconds_of_step(times[WARM_UP:-1], cluster.workers)
                waited = 0.0
            print("measured " + json.dumps([strategy, rate, sent, waited]), flush=True)


def seconds_of_step(times, workers):
    """Returns the median over periods of `workers` steps: other programs delay single steps.

    A worker that began late is late by turns with its neighbours in the ring: with two workers and the latency L, steps
    of 2 L and 4 L follow each other, whose median says nothing.
    """
    return statistics.median(
        statistics.mean(times[first:first + workers]) for first in range(max(1, len(times) - workers + 1))
    )


def global_step(session, step):
    # Without hooks: another run would be a step of all workers.
    return int(session.run_step_fn(lambda step_context: step_context.session.run(step.global_step)))


def traffic():
    total = 0
    for name in ("tx_bytes", "rx_bytes"):
        with open("/sys/class/net/lan/statistics/" + name) as file:
            total += int(file.read())
    return total


def StopAfter(runs):  # noqa: N802 - a class that needs TensorFlow
    from legacy_towers.scaling.calibration_task import StopAfter as Hook

    return Hook(runs)


def measured(options, workers, servers, network):
    """Returns strategy -> (examples/s, bytes of the chief per step, seconds that it waited before one)."""
    count = workers + servers
    command = [sys.executable, os.path.abspath(sys.argv[0])] + sys.argv[1:] + ["--be-task"]
    command += ["--strategies"] + options.strategies
    with Links(count, network.bandwidth, network.latency) as links:
        addresses = ["{}:{}".format(links.address(machine), PORT) for machine in range(count)]
        jobs = {"worker": addresses[:workers], "ps": addresses[workers:]}
        processes = []
        for machine in range(count):
            task = {"type": "worker" if machine < workers else "ps",
                    "index": machine if machine < workers else machine - workers}
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": jobs, "task": task}))
            processes.append(subprocess.Popen(
                links.inside(machine) + command, env=environment, cwd=HERE, stderr=subprocess.PIPE,
                stdout=subprocess.PIPE if machine == 0 else subprocess.DEVNULL, universal_newlines=True,
            ))
        try:
            output, errors = processes[0].communicate(timeout=900)
            for process in processes[1:workers]:
                process.communicate(timeout=60)
        finally:
            for process in processes:
                process.kill()
                process.wait()
    lines = [json.loads(line[len("measured "):]) for line in output.splitlines() if line.startswith("measured ")]
    if len(lines) != len(options.strategies):
        raise RuntimeError("{} of {} strategies were measured:\n{}".format(
            len(lines), len(options.strategies), errors[-3000:]
        ))
    return {line[0]: line[1:] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--bandwidth", nargs="+", default=["100Mbit"])
    parser.add_argument("--latency", nargs="+", default=["0ms", "10ms"])
    parser.add_argument("--strategies", nargs="+", help="default: all that legacy-towers plan-cluster compares")
    parser.add_argument("--towers", type=int, default=1)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=512, help="units of each layer: 512 for 4 MB of gradients")
    parser.add_argument("--words", type=int, default=0, help="rows of an embedding; 0: none")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--runtime", help="take what TensorFlow's runtime costs from this JSON file")
    parser.add_argument("--be-task", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.be_task:
        work(options)
        return

    from legacy_towers import devices
    from legacy_towers.measure.resources import usable_cores
    from legacy_towers.scaling.calibration import calibrate
    from legacy_towers.scaling.job_costs import measure_job
    from legacy_towers.scaling.json_file import read_runtime
    from legacy_towers.scaling.plan import predict, strategies
    from legacy_towers.scaling.report import costs_text
    from legacy_towers.scaling.units import bandwidth, bandwidth_text, bytes_text, seconds, time_text
    from legacy_towers.scaling.values import Network
    from legacy_towers.text.tables import format_table
    from legacy_towers.training.devices import config_of_towers

    with Links(1, 1e6):
        pass  # fails at once without root
    costs = measure_job(job_of(options), devices.cpus(options.towers), config_of_towers("cpu", options.towers), 32)
    runtime = calibrate() if options.runtime is None else read_runtime(options.runtime)
    print("\n".join(costs_text(costs, runtime)), flush=True)
    options.strategies = options.strategies or strategies(costs, options.ps)
    rows = []
    for rate in options.bandwidth:
        for latency in options.latency:
            for workers in options.workers:
                cores = usable_cores() / float(workers + options.ps)
                network = Network(bandwidth(rate, "--bandwidth"), seconds(latency, "--latency"), cores)
                found = measured(options, workers, options.ps, network)
                for strategy, (examples, sent, waited) in found.items():
                    job = costs._replace(step_seconds=costs.step_seconds + waited)
                    expected = predict(strategy, job, network, runtime, workers, options.ps)
                    rows.append([
                        bandwidth_text(network.bandwidth), time_text(network.latency), workers, strategy,
                        "{:,.1f}".format(expected.examples_per_second), "{:,.1f}".format(examples),
                        "{:.2f}".format(expected.examples_per_second / examples),
                        bytes_text(expected.sent_bytes + expected.received_bytes), bytes_text(sent),
                        expected.limited_by,
                    ])
                    print(*rows[-1], flush=True)
    print(format_table(
        ["bandwidth", "latency", "workers", "strategy", "predicted", "measured", "ratio", "bytes predicted",
         "bytes measured", "limited by"], rows, "rrrlrrrrrl"
    ))


if __name__ == "__main__":
    main()
