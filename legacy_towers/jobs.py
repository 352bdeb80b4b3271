"""A job: a named function that returns model, examples, optimizer and defaults, so that the command line can run it."""
import importlib.util
import inspect
import os
import sys
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from legacy_towers.errors import JobError
from legacy_towers.names import quoted

# A job file's module has its file's name after this, so that tracebacks know the user's code from the package's.
JOB_MODULE = "legacy_towers_job_"


class Job(NamedTuple):
    """What a job function returns.

    Attributes:
      model_fn: takes (batch, mode) and returns a `TowerOutput`.
      train: the Examples to train on.
      optimizer: a function that takes the global step and returns a `tf.train.Optimizer`.
      test: the Examples to evaluate and to predict on; None if there are none.
      per_tower_batch_size: examples per tower and step, unless the command line says otherwise.
      epochs: passes over `train`, unless the command line says otherwise.
      input: the way in, unless the command line says otherwise: a name of `legacy_towers.inputs.ways`, such as
        "feed", "queue", "dataset:split" or "dataset:sharded+staged".
      update_ops: as in `lt.build_train_step`.
      moving_average_decay: as in `lt.build_train_step`; with it, the averages are what is evaluated.
      on_missing: as in `lt.build_train_step`.
      variables: where variables live, unless the command line says otherwise: a strategy, such as
        `lt.variables.RoundRobin(lt.devices.gpus(4))`, or its name, such as "replicated", which fits any towers; None:
        as in `lt.build_train_step`.
      reduction: how the towers' gradients meet, unless the command line says otherwise: a reduction, such as
        `lt.gradients.mean()`, or its name, such as "tree"; None: as in `lt.build_train_step`.
    """

    model_fn: Callable[[Any, str], Any]
    train: Any
    optimizer: Callable[[Any], Any]
    test: Optional[Any] = None
    per_tower_batch_size: int = 32
    epochs: int = 1
    input: str = "dataset"
    update_ops: Optional[str] = None
    moving_average_decay: Optional[float] = None
    on_missing: str = "error"
    variables: Optional[Any] = None
    reduction: Optional[Any] = None


class JobFunction:
    """A job function; its keyword arguments, with their defaults, are its options on the command line."""

    def __init__(self, function: Callable[..., Job]) -> None:
        self._function = function
        self.name = function.__name__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.options: Dict[str, Any] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.default is inspect.Parameter.empty or not isinstance(
                parameter.default, (bool, int, float, str)
            ):
                raise JobError(
                    "the parameter {!r} of the job {!r} needs a default that is a bool, int, float or str: it becomes "
                    "the option --{} of the command line".format(name, self.name, name.replace("_", "-"))
                )
            self.options[name] = parameter.default

    def __call__(self, **options: Any) -> Job:
        job = self._function(**options)
        if not isinstance(job, Job):
            raise JobError("the job {!r} returned {}, not an lt.Job".format(self.name, type(job).__name__))
        return job


def job(function: Callable[..., Job]) -> JobFunction:
    """Marks a function that returns a `Job`, so that the command line finds it.

        @lt.job
        def digits(data_dir="digits-data", learning_rate=0.1):
            return lt.Job(model_fn, train=..., optimizer=...)

    Raises:
      JobError: a parameter has no default.
    """
    return JobFunction(function)


def load_job(text: str) -> JobFunction:
    """Loads a job from `path/to/file.py` (which has exactly one) or from `path/to/file.py:name`.

    The file is run as a module of its own; like `python file.py`, it can import what lies beside it. Jobs that it
    imports count only by name, or if it has none of its own.

    Raises:
      JobError: there is no such file or job in it. An error in the file itself is raised as it is.
    """
    path, name = _split(text)
    if not os.path.isfile(path):
        raise JobError("there is no job file {!r}: a JOB is path/to/file.py or path/to/file.py:name".format(path))
    module = _load_module(path)
    found = {value.name: value for value in vars(module).values() if isinstance(value, JobFunction)}
    if name is not None:
        if name not in found:
            raise JobError("{} has no job {!r}; it has {}".format(path, name, quoted(found) or "none"))
        return found[name]
    own = [job for job in found.values() if job.__module__ == module.__name__] or list(found.values())
    if not own:
        raise JobError("{} has no job: mark a function that returns lt.Job(...) with @lt.job".format(path))
    if len(own) > 1:
        names = [job.name for job in own]
        raise JobError("{0} has {1} jobs: name one of them, as in {2}".format(
            path, len(names), " or ".join("{}:{}".format(path, name) for name in names)
        ))
    return own[0]


def is_job_name(text: str) -> bool:
    """Returns whether `text` reads like `path/to/file.py` or `path/to/file.py:name`."""
    return not text.startswith("-") and _split(text)[0].endswith(".py")


def _split(text: str) -> Tuple[str, Optional[str]]:
    path, colon, name = text.rpartition(":")
    # A colon may belong to the path itself (C:\jobs\train.py); what follows the last one is a name only as a word.
    if colon and name.isidentifier():
        return path, name
    return text, None


def _load_module(path: str) -> Any:
    absolute = os.path.abspath(path)
    folder = os.path.dirname(absolute)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = os.path.splitext(os.path.basename(absolute))[0]
    spec = importlib.util.spec_from_file_location(JOB_MODULE + name, absolute)
    if spec is None or spec.loader is None:
        raise JobError("{} is no Python file: a JOB is path/to/file.py or path/to/file.py:name".format(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
