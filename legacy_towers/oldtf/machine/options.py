"""The options of `legacy-towers run` that say what a script's devices and sessions become.

    add_arguments(parser)                      before the command line is read
    with prepare(arguments, script_run): ...   around the script

They reach the sessions that the script makes itself; no file of it is changed.
"""
import argparse
import contextlib
import os
import re
import sys
from typing import Any, Callable, ContextManager, Iterator

from legacy_towers.errors import ArgumentError
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.current import ScriptRun
from legacy_towers.oldtf.machine import drivers, killed, report
from legacy_towers.oldtf.machine.machine import Machine, MachineOptions
from legacy_towers.whole_file import check_writable

_DEVICE = re.compile(r"/?(?:device:)?(cpu|gpu):(\d+)$", re.IGNORECASE)
_INT32_MAX = 2**31 - 1


def add_arguments(parser: Any, shows_timeout: bool = True) -> None:
    """Adds the options to `parser`; the launcher does so before it reads the command line.

    Args:
      shows_timeout: whether the help has --timeout-steps; not where the command itself says when the script ends.
    """
    devices = parser.add_argument_group("devices, where the machine has fewer GPUs than the script names")
    devices.add_argument(
        "--soft",
        action="store_true",
        help="leave the script's devices as they are and let TensorFlow move what can't be there; without it each "
        "missing GPU becomes a logical CPU device of its own, or one of the GPUs that are there",
    )
    devices.add_argument(
        "--towers-device", type=_device, metavar="DEVICE", help="put every GPU that the script names on this device"
    )
    devices.add_argument(
        "--num-devices",
        type=at_least(1),
        metavar="N",
        help="spread the script's GPUs over N devices (default: as many as it names)",
    )
    session = parser.add_argument_group("the script's sessions")
    session.add_argument("--allow-growth", action="store_true", help="reserve GPU memory as it is needed")
    session.add_argument("--memory-fraction", type=_fraction, metavar="F", help="share of each GPU's memory to reserve")
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
        help="end the script, with exit code 0, after N session runs; what only initializes, fills a queue or saves "
        "is not counted"
        if shows_timeout
        else argparse.SUPPRESS,
    )
    session.add_argument(
        "--report",
        metavar="FILE",
        help="write what was mapped, device by device and name by name: text if FILE ends in .txt, else JSON",
    )


def options_of(arguments: argparse.Namespace) -> MachineOptions:
    """Returns the options that were given.

    Raises:
      ArgumentError: two of them contradict each other, or the report can't be written.
    """
    given = vars(arguments)
    for one, other in (("soft", "towers_device"), ("soft", "num_devices"), ("towers_device", "num_devices")):
        if given.get(one) and given.get(other):
            raise ArgumentError("--{} contradicts --{}: leave one or the other out".format(
                one.replace("_", "-"), other.replace("_", "-")
            ))
    if given.get("report"):
        check_writable(given["report"], "the report")
    session = {
        name: given[name]
        for name in ("memory_fraction", "intra_op_threads", "inter_op_threads")
        if given.get(name) is not None
    }
    if given.get("allow_growth"):
        session["allow_growth"] = True
    return MachineOptions(
        bool(given.get("soft")),
        given.get("towers_device"),
        given.get("num_devices"),
        session,
        given.get("timeout_steps"),
        # The script may change the working directory.
        os.path.abspath(given["report"]) if given.get("report") else None,
    )


def refuse_missing_gpu(arguments: argparse.Namespace) -> None:
    """Refuses a GPU for the towers that this machine can't have, where that is known before TensorFlow is imported.

    Where it is not (the machine has GPUs, and the script may yet hide some), the first session refuses it.

    Raises:
      ArgumentError: --towers-device names such a GPU.
    """
    device = arguments.towers_device
    if device is None or not device.startswith("/gpu:"):
        return
    most = drivers.most_gpus()
    if most is not None and int(device[len("/gpu:") :]) >= most:
        has = "{} GPU{}".format(most or "no", "s" if most > 1 else "")
        raise ArgumentError("--towers-device {}: this machine has {}".format(device, has))


def prepare(arguments: argparse.Namespace, script_run: ScriptRun) -> ContextManager[None]:
    """Returns the context manager to enter around the script's run: its devices, graphs and sessions are then ours.

    Args:
      arguments: what the parser returned that `add_arguments` was given.
      script_run: the run of the script, which is also the one that `current.running()` gives.

    Raises:
      ArgumentError: options contradict each other, or the report can't be written.
    """
    return _prepared(options_of(arguments), script_run)


@contextlib.contextmanager
def _prepared(options: MachineOptions, script_run: ScriptRun) -> Iterator[None]:
    # Nothing here imports TensorFlow: the script may set environment variables before it does so itself.
    machine = script_run.machine = Machine(options, script_run)
    process = os.getpid()
    if tree.IMPORTED_AS in sys.modules:
        machine.start()
    try:
        with _reported_when_killed(options, machine):
            yield
    except BaseException as error:
        if not machine.is_own_end(error):
            script_run.note_end(error)
            raise
    finally:
        # A process that the script forks throws its copy of this away at its end.
        if os.getpid() == process:
            machine.stop()
            script_run.machine = None
            if options.report is not None:
                _write_report(options.report, machine)


def _write_report(path: str, machine: Machine) -> None:
    try:
        report.write(path, machine)
    except ArgumentError as error:  # the script is over, and its exit code stays: nobody is there to catch this
        machine.say("error: {}".format(error))


@contextlib.contextmanager
def _reported_when_killed(options: MachineOptions, machine: Machine) -> Iterator[None]:
    def write(name: str) -> None:
        machine.script_run.ended_by = "by {}".format(name)
        _write_report(str(options.report), machine)

    if options.report is None:
        yield
        return
    with killed.last_words(write):
        yield


def _device(text: str) -> str:
    found = _DEVICE.match(text)
    if found is None:
        raise argparse.ArgumentTypeError("{!r} is no device: write it like /gpu:0 or /cpu:1".format(text))
    return "/{}:{}".format(found.group(1).lower(), int(found.group(2)))


def at_least(lowest: int) -> Callable[[str], int]:
    """Returns the type of an option whose value is a whole number."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = lowest - 1
        if not lowest <= number <= _INT32_MAX:
            raise argparse.ArgumentTypeError("{!r} is not a whole number of at least {}".format(text, lowest))
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
