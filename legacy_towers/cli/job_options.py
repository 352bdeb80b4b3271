"""The argument JOB, and the options that a job brings itself."""
import argparse
from typing import Any, Callable, Dict, Sequence, Tuple

from legacy_towers.cli.parser import Parser
from legacy_towers.cli.quiet import silence_deprecations
from legacy_towers.errors import ArgumentError
from legacy_towers.jobs import Job, JobFunction, is_job_name, load_job

_PREFIX = "job_option_"


def add_job(parser: Parser, given: Sequence[str]) -> None:
    """Adds JOB and, if it is among the words `given`, the job's own options.

    Raises:
      JobError: there is no such job.
      ArgumentError: an option of the job has the name of one of the command's.
    """
    parser.add_argument("job", metavar="JOB", help="path/to/file.py, or path/to/file.py:name where it has several jobs")
    parser.add_argument("--verbose", action="store_true", help="also print what TensorFlow says of deprecated names")
    parser.epilog = "legacy-towers COMMAND JOB --help lists the job's own options too."
    job = next((word for word in given if is_job_name(word)), None)
    if job is None:
        return
    job_function = load_job(job)
    group = parser.add_argument_group("options of the job {!r}".format(job_function.name), job_function.__doc__)
    flags = []
    for name, default in job_function.options.items():
        flags.append("--" + name.replace("_", "-"))
        try:
            group.add_argument(flags[-1], dest=_PREFIX + name, **_kind(default))
        except argparse.ArgumentError:
            raise ArgumentError(
                "the job {!r} has an option {}, which the command has too: rename it".format(
                    job_function.name, flags[-1]
                )
            ) from None
    parser.note = "the job {!r} has {}".format(job_function.name, ", ".join(flags) or "no options")
    parser.epilog = None
    parser.set_defaults(job_function=job_function)


def job_of(arguments: argparse.Namespace) -> Tuple[JobFunction, Job]:
    """Returns the job function and its job, made with the options that were given."""
    if not arguments.verbose:
        silence_deprecations()
    job_function = getattr(arguments, "job_function", None) or load_job(arguments.job)
    return job_function, job_function(**options_of(arguments))


def options_of(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Returns the job's own options as they were given, defaults included."""
    return {name[len(_PREFIX) :]: value for name, value in vars(arguments).items() if name.startswith(_PREFIX)}


def _kind(default: Any) -> Dict[str, Any]:
    if isinstance(default, bool):
        return {
            "nargs": "?",
            "const": True,
            "default": default,
            "type": _truth,
            "metavar": "true|false",
            "help": "default: {}".format(str(default).lower()),
        }
    kind: Callable[[str], Any] = type(default)
    return {"default": default, "type": kind, "metavar": kind.__name__.upper(), "help": "default: %(default)s"}


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError("{!r} is neither true nor false".format(text))
    return text.lower() == "true"
