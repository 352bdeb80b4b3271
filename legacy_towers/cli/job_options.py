"""Adds the argument JOB and the job's own options to a command."""
import argparse
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import add_show_logs, silence_deprecations
from legacy_towers.errors import ArgumentError
from legacy_towers.training.job import Job, JobFunction, declared_options, is_job_name, load_job
from legacy_towers.training.settings import DEVICE_TYPES

_PREFIX = "job_option_"


def add_towers(group: Any, default: int) -> None:
    """Adds the option --towers, for one number of towers, to a parser or a group of its options."""
    group.add_argument(
        "--towers", type=int, default=default, metavar="N", help="number of towers (default: {})".format(default)
    )


def add_soft_placement(group: Any) -> None:
    """Adds the option --soft-placement to a parser or a group of its options."""
    group.add_argument(
        "--soft-placement", action="store_true", help="let TensorFlow move operations that a device can't run"
    )


def add_device(group: Any) -> None:
    """Adds the option --device to a parser or a group of its options."""
    group.add_argument(
        "--device", choices=DEVICE_TYPES, default="cpu", help="type of the towers' devices (default: cpu)"
    )


def add_job(parser: Parser, given: Sequence[str]) -> None:
    """Adds JOB and, with --help, the job's own options.

    Raises:
      JobError: the job does not exist; only with --help.
    """
    parser.add_argument("job", metavar="JOB", help="path/to/file.py, or path/to/file.py:name if it has several jobs")
    parser.add_argument("--verbose", action="store_true", help="also print TensorFlow's deprecation warnings")
    add_show_logs(parser)
    parser.epilog = "legacy-towers COMMAND JOB --help lists the job's own options too."
    if _job_among(given) is not None and ("-h" in given or "--help" in given):
        add_job_options(parser, "", given)


def refuse_undeclared(parser: Parser, given: Sequence[str], unknown: Sequence[str]) -> None:
    """Ends the program if the source of the job's file does not declare one of the `unknown` options either.

    Also if the value of an option that it declares is not a number, and its default is.
    """
    job = _job_among(given)
    declared = None if job is None else declared_options(job)
    if declared is None:
        return
    name, options = declared
    flags = [_flag(option) for option in options]
    for argument in unknown:
        if argument.startswith("--") and argument.split("=")[0] not in flags:
            parser.note = _note(name, flags)
            parser.refuse([argument], also=flags)
    kinds = {flag: type(default) for flag, default in zip(flags, options.values()) if type(default) in (int, float)}
    for number, argument in enumerate(given):
        flag, has_value, value = argument.partition("=")
        if flag not in kinds or not (has_value or given[number + 1 :]):
            continue
        value = value if has_value else given[number + 1]
        try:
            kinds[flag](value)
        except ValueError:
            if has_value or not value.startswith("--"):  # otherwise the value is missing
                parser.error("argument {}: invalid {} value: {!r}".format(flag, kinds[flag].__name__, value))


def add_job_options(parser: Parser, job: str, given: Sequence[str]) -> None:
    """Loads the job named among the arguments `given`, or else `job`, and adds its options.

    Raises:
      JobError: the job does not exist.
      ArgumentError: the job and the command have an option of the same name.
    """
    job_function = load_job(_job_among(given) or job)
    group = parser.add_argument_group("options of the job {!r}".format(job_function.name), job_function.__doc__)
    flags = []
    for name, default in job_function.options.items():
        flags.append(_flag(name))
        try:
            group.add_argument(flags[-1], dest=_PREFIX + name, **_kind(default))
        except argparse.ArgumentError:
            raise ArgumentError(
                "the job {!r} has an option {}, which the command has too: rename it".format(
                    job_function.name, flags[-1]
                )
            ) from None
    parser.note = _note(job_function.name, flags)
    parser.epilog = None
    parser.set_defaults(job_function=job_function)


def _job_among(given: Sequence[str]) -> Optional[str]:
    return next((each for each in given if is_job_name(each)), None)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _note(job: str, flags: Sequence[str]) -> str:
    return "the job {!r} has {}".format(job, ", ".join(flags) or "no options")


def job_of(arguments: argparse.Namespace) -> Tuple[JobFunction, Job]:
    """Returns the job function and the job that it returns for the given options."""
    if not arguments.verbose:
        silence_deprecations()
    job_function: JobFunction = arguments.job_function
    return job_function, job_function(**options_of(arguments))


def options_of(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns the values of the job's own options, defaults included."""
    return {name[len(_PREFIX) :]: value for name, value in vars(arguments).items() if name.startswith(_PREFIX)}


def _kind(default: Any) -> Dict[str, Any]:
    if isinstance(default, bool):
        return {
            "nargs": "?",
            "const": True,
            "default": default,
            "type": _boolean,
            "metavar": "true|false",
            "help": "default: {}".format(str(default).lower()),
        }
    kind: Callable[[str], Any] = type(default)
    return {"default": default, "type": kind, "metavar": kind.__name__.upper(), "help": "default: %(default)s"}


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError("{!r} is neither true nor false".format(text))
    return text.lower() == "true"
