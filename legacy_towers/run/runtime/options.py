"""The options of `legacy-towers run` for a script's devices and sessions.

    add_arguments(parser)                      before the command line is read
    with prepare(arguments, script_run): ...   around the script

They apply to the sessions that the script creates; its files stay unchanged.
"""
import argparse
import contextlib
import os
import re
import sys
from typing import Any, Callable, ContextManager, Iterator

from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.user_script import ScriptRun
from legacy_towers.errors import ArgumentError
from legacy_towers.run.runtime.current import RuntimeOptions
from legacy_towers.run.runtime.script_runtime import ScriptRuntime

_DEVICE = re.compile(r"/?(?:device:)?(cpu|gpu):(\d+)$", re.IGNORECASE)
# Each is a copy of the model in one graph: a larger number is taken for a mistake.
_MOST_TOWERS = 1024
_INT32_MAX = 2**31 - 1


def add_arguments(parser: Any, shows_timeout: bool = True) -> None:
    """Adds the options to `parser`.

    Args:
      parser: an argparse parser.
      shows_timeout: whether the help lists --timeout-steps; False for commands that set the number of steps themselves.
    """
    devices = parser.add_argument_group("devices, if the script names more GPUs than there are")
    devices.add_argument(
        "--soft",
        action="store_true",
        help="keep the script's devices and use TensorFlow's soft placement; by default a missing GPU is mapped to a "
        "logical CPU device, or to one of the existing GPUs",
    )
    devices.add_argument(
        "--towers-device", type=_device, metavar="DEVICE", help="map every GPU that the script names to this device"
    )
    devices.add_argument(
        "--num-devices",
        type=at_least(1),
        metavar="N",
        help="map the script's GPUs to N devices (default: as many as it names)",
    )
    inputs = parser.add_argument_group("the script's input pipelines")
    inputs.add_argument(
        "--queues-to-dataset",
        action="store_true",
        help="convert the script's queues to tf.data when its first session runs, and print what each promises; one "
        "that can't be converted stays as it is",
    )
    inputs.add_argument(
        "--prove",
        action="store_true",
        help="with --queues-to-dataset: before that, read an epoch of copies of the queues and of tf.data, and compare "
        "them; if they differ, end with exit code 1",
    )
    inputs.add_argument(
        "--allow-different", action="store_true", help="with --prove: run the script even if they differ"
    )
    session = parser.add_argument_group("the script's sessions")
    session.add_argument("--allow-growth", action="store_true", help="allocate GPU memory as needed")
    session.add_argument(
        "--memory-fraction", type=_fraction, metavar="F", help="fraction of each GPU's memory to allocate"
    )
    session.add_argument(
        "--intra-op-threads", type=at_least(0), metavar="N", help="threads inside an op, 0: as many as cores"
    )
    session.add_argument(
        "--inter-op-threads",
        type=at_least(-1),
        metavar="N",
        help="threads to run ops on, 0: as many as cores, -1: the calling thread alone",
    )
    session.add_argument(
        "--timeout-steps",
        type=at_least(1),
        metavar="N",
        help="end the script, with exit code 0, after N session runs; runs that only initialize variables, fill a "
        "queue or save a checkpoint are not counted"
        if shows_timeout
        else argparse.SUPPRESS,
    )
    session.add_argument(
        "--report",
        metavar="FILE",
        help="write a report of the mapped devices, replaced names and sessions: text if FILE ends in .txt, else JSON",
    )


def add_tower_arguments(parser: Any) -> None:
    """Adds the options for training on several devices to `parser`, for the command that has them."""
    towers = parser.add_argument_group("training on several devices a script that was written for one")
    towers.add_argument(
        "--towers",
        type=at_least(1, _MOST_TOWERS),
        metavar="N",
        help="compute the gradients of each training step on N towers: GPUs, or logical CPU devices where there are "
        "none; a graph that can't be replicated ends the script with exit code 2",
    )
    towers.add_argument(
        "--keep",
        choices=("global", "per-tower"),
        help="with --towers: keep the global batch, which is split among the towers, so that the numbers stay "
        "(default), or the per-tower batch: each tower reads one of its own from the script's queue or iterator",
    )


def options_of(arguments: argparse.Namespace) -> RuntimeOptions:
    """Returns the options as RuntimeOptions.

    Raises:
      ArgumentError: two options contradict each other, or the report can't be written.
    """
    given = vars(arguments)
    for one, other in (("soft", "towers_device"), ("soft", "num_devices"), ("towers_device", "num_devices")):
        if given.get(one) and given.get(other):
            raise ArgumentError("--{} contradicts --{}: pass only one of them".format(
                one.replace("_", "-"), other.replace("_", "-")
            ))
    for option, needed in (("prove", "queues_to_dataset"), ("allow_different", "prove")):
        if given.get(option) and not given.get(needed):
            raise ArgumentError("--{} needs --{}".format(option.replace("_", "-"), needed.replace("_", "-")))
    if given.get("report"):
        from legacy_towers.text.files import check_writable

        check_writable(given["report"], "the report")
    session = {
        name: given[name]
        for name in ("memory_fraction", "intra_op_threads", "inter_op_threads")
        if given.get(name) is not None
    }
    if given.get("allow_growth"):
        session["allow_growth"] = True
    return RuntimeOptions(
        bool(given.get("soft")),
        given.get("towers_device"),
        given.get("num_devices"),
        session,
        given.get("timeout_steps"),
        # The script may change the working directory.
        os.path.abspath(given["report"]) if given.get("report") else None,
        bool(given.get("queues_to_dataset")),
        bool(given.get("prove")),
        bool(given.get("allow_different")),
        given.get("towers"),
    )


def refuse_missing_gpu(arguments: argparse.Namespace) -> None:
    """Rejects a --towers-device that this machine lacks, if that is known before TensorFlow is imported.

    Otherwise (the runtime has GPUs, and the script may hide some) the first session rejects it.

    Raises:
      ArgumentError: --towers-device names a GPU that this machine lacks.
    """
    device = arguments.towers_device
    if device is None or not device.startswith("/gpu:"):
        return
    from legacy_towers.run.runtime import gpu_count

    most = gpu_count.most_gpus()
    if most is not None and int(device[len("/gpu:") :]) >= most:
        has = "{} GPU{}".format(most or "no", "s" if most > 1 else "")
        raise ArgumentError("--towers-device {}: this machine has {}".format(device, has))


def prepare(arguments: argparse.Namespace, script_run: ScriptRun) -> ContextManager[None]:
    """Returns a context manager that applies the options to the script that runs in it.

    Args:
      arguments: the parsed options of `add_arguments`.
      script_run: the run of the script, which `user_script.running()` returns, too.

    Raises:
      ArgumentError: options contradict each other, or the report can't be written.
    """
    return _prepared(options_of(arguments), script_run)


@contextlib.contextmanager
def _prepared(options: RuntimeOptions, script_run: ScriptRun) -> Iterator[None]:
    # Nothing here imports TensorFlow: the script may set environment variables before it does so itself.
    runtime = script_run.runtime = ScriptRuntime(options, script_run)
    process = os.getpid()
    if tree.IMPORTED_AS in sys.modules:
        runtime.start()
    try:
        with _report_before_fatal_signal(options, runtime):
            yield
    except BaseException as error:
        if not runtime.is_step_limit(error):
            script_run.note_end(error)
            raise
    finally:
        # Processes that the script forks do not write the report.
        if os.getpid() == process:
            runtime.stop()
            script_run.runtime = None
            if options.report is not None:
                _write_report(options.report, runtime)


def _write_report(path: str, runtime: ScriptRuntime) -> None:
    from legacy_towers.run.runtime import report

    try:
        report.write(path, runtime)
    except ArgumentError as error:  # the script has ended, and its exit code must not change
        runtime.print_line("error: {}".format(error))


@contextlib.contextmanager
def _report_before_fatal_signal(options: RuntimeOptions, runtime: ScriptRuntime) -> Iterator[None]:
    def write(name: str) -> None:
        runtime.script_run.ended_by = "by {}".format(name)
        _write_report(str(options.report), runtime)

    if options.report is None:
        yield
        return
    # `report` before the script, whose folder may have a json.py.
    from legacy_towers.run.runtime import report, signals  # noqa: F401

    with signals.before_fatal_signal(write):
        yield


def _device(text: str) -> str:
    found = _DEVICE.match(text)
    if found is None:
        raise argparse.ArgumentTypeError("{!r} is not a device: write it like /gpu:0 or /cpu:1".format(text))
    return "/{}:{}".format(found.group(1).lower(), int(found.group(2)))


def at_least(lowest: int, highest: int = _INT32_MAX) -> Callable[[str], int]:
    """Returns the argparse type of an option whose value is an integer of at least `lowest` and at most `highest`."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = lowest - 1
        if not lowest <= number <= highest:
            most = "" if highest == _INT32_MAX else " and at most {}".format(highest)
            raise argparse.ArgumentTypeError("{!r} is not a whole number of at least {}{}".format(text, lowest, most))
        return number

    return convert


def _fraction(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError("{!r} is not a number above 0 and up to 1".format(text))
    return number
