"""Predicts the step time of a job over many workers: which strategy is the fastest, and where each stops scaling.

The job's step runs in this process, and TensorFlow's runtime is measured by three processes on this machine. Give the
network of the cluster: nothing is sent over it.
"""
import argparse
import os
import sys
from typing import Any, Sequence

from legacy_towers.cli.job_options import add_device, add_job, add_towers, job_of
from legacy_towers.cli.parser import Parser
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.resources import usable_cores
from legacy_towers.scaling.json_file import plan_json, read_runtime
from legacy_towers.scaling.units import bandwidth, seconds
from legacy_towers.scaling.values import Network
from legacy_towers.text.files import check_file, working_directory_of, write_whole
from legacy_towers.text.terminal import layout_of


def add_arguments(parser: Parser, given: Sequence[str]) -> None:
    cluster = parser.add_argument_group("the cluster")
    cluster.add_argument("--workers", type=int, required=True, metavar="N", help="predict 1, 2, 4, ... and N workers")
    cluster.add_argument(
        "--bandwidth", required=True, metavar="RATE", help="of each machine's link, in each direction: 25Gbit, 3GB, ..."
    )
    cluster.add_argument(
        "--latency", required=True, metavar="TIME",
        help="from one machine to another, one way: 50us, ...; half of what ping reports",
    )
    cluster.add_argument("--ps", type=int, default=1, metavar="N", help="number of parameter servers (default: 1)")
    cluster.add_argument(
        "--cores", type=float, metavar="N", help="CPU cores of each machine of the cluster (default: those of this one)"
    )
    add_towers(cluster, 1)
    add_device(cluster)
    cluster.add_argument(
        "--per-tower-batch-size", type=int, metavar="N", help="examples per tower (default: the job's)"
    )
    measured = parser.add_argument_group("what is measured")
    measured.add_argument(
        "--step-time", metavar="TIME",
        help="of a step of one worker, without input, such as 120ms; its update and CPU time are scaled with it "
        "(default: measured in this process)",
    )
    measured.add_argument(
        "--runtime", metavar="OLD.json",
        help="take what TensorFlow's runtime costs from the file that --json has written (default: measured here)",
    )
    parser.add_argument("--json", metavar="FILE", help="write all results as JSON")
    add_job(parser, given)


def check(arguments: argparse.Namespace) -> None:
    for option in ("workers", "ps", "towers", "per_tower_batch_size"):
        value = getattr(arguments, option)
        if value is not None and value < 1:
            raise ArgumentError("--{} is {}: at least 1 is needed".format(option.replace("_", "-"), value))
    if arguments.cores is not None and not 0 < arguments.cores < float("inf"):
        raise ArgumentError("--cores is {:g}: a number above 0 is needed".format(arguments.cores))
    _network(arguments)
    _step_seconds(arguments)
    check_file("--json", arguments.json)
    _runtime(arguments)


def run(arguments: argparse.Namespace) -> int:
    _, job = job_of(arguments)
    from legacy_towers.scaling.calibration import calibrate, zero_costs
    from legacy_towers.scaling.job_costs import measure_job
    from legacy_towers.scaling.plan import plan
    from legacy_towers.scaling.report import plan_text
    from legacy_towers.training.devices import config_of_towers, tower_devices

    devices = tower_devices(arguments.device, arguments.towers)
    config = config_of_towers(arguments.device, arguments.towers)
    size = job.per_tower_batch_size if arguments.per_tower_batch_size is None else arguments.per_tower_batch_size
    sys.stderr.write("measuring a step of {} in this process\n".format(arguments.job))
    costs = measure_job(job, devices, config, size, step_seconds=_step_seconds(arguments))
    runtime = _runtime(arguments)
    if runtime is None:
        sys.stderr.write("measuring TensorFlow's runtime with three processes\n")
        runtime = calibrate()
        for name in zero_costs(runtime):
            sys.stderr.write("inconclusive: {} was measured below 0 and counts as 0: measure again where nothing else "
                             "runs\n".format(name))
    found = plan(costs, _network(arguments), runtime, arguments.workers, arguments.ps)
    if arguments.json is not None:
        write_whole(arguments.json, plan_json(found), "the JSON file")
    print(plan_text(found, layout_of(sys.stdout)))
    return 0


def _network(arguments: argparse.Namespace) -> Network:
    return Network(
        bandwidth(arguments.bandwidth, "--bandwidth"), seconds(arguments.latency, "--latency"),
        float(usable_cores()) if arguments.cores is None else arguments.cores,
    )


def _step_seconds(arguments: argparse.Namespace) -> Any:
    return None if arguments.step_time is None else seconds(arguments.step_time, "--step-time", 1e-9)


def _runtime(arguments: argparse.Namespace) -> Any:
    if arguments.runtime is None:
        return None
    if not os.path.exists(arguments.runtime):
        raise ArgumentError("--runtime: there is no file {!r}{}: write it by --json first".format(
            arguments.runtime, working_directory_of(arguments.runtime)
        ))
    return read_runtime(arguments.runtime)
