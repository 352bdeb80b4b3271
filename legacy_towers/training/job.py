"""Jobs: named functions that return model, examples, optimizer and defaults, for the command line."""
import ast
import importlib.util
import inspect
import os
import sys
import zlib
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from legacy_towers.errors import JobError
from legacy_towers.text.files import working_directory_of
from legacy_towers.text.names import quoted
from legacy_towers.training.callbacks import Callback, check_callbacks
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.evaluation.options import EvaluationOptions
from legacy_towers.training.metrics.options import MetricsOptions
from legacy_towers.training.warm_start import WarmStart, as_warm_start

# The prefix of the names of job files' modules, by which tracebacks recognize the user's code.
JOB_MODULE = "legacy_towers_job_"


# Parameters of build_train_step that the run chooses, or that Job has itself.
_NOT_STEP_OPTIONS = ("model_fn", "inputs", "optimizer", "devices", "var_list", "cluster")


class Job:
    """The value that a job function returns: a model, its data and its optimizer, with defaults for the command line.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`.
      train: the Examples to train on.
      optimizer: a function that takes the global step and returns a `tf.train.Optimizer`. If it has a parameter
        `learning_rate` too, it gets the tensor of `schedule`, and the command line can override that.
      test: the Examples to evaluate and to predict on; None for none.
      per_tower_batch_size: examples per tower and step; the command line can override it.
      epochs: passes over `train`; the command line can override it. Batches go on over the end of an epoch: only
        examples of the last one that don't fill a step are left out, so that a job has no option `remainder`.
      input: the input pipeline; the command line can override it: a name of `legacy_towers.specs.pipelines`,
        such as "feed", "queue", "dataset:split" or "staged+dataset:sharded".
      schedule: the learning-rate schedule, a name of `legacy_towers.specs.schedules` with its options, such as
        "cosine:0.1,steps=1000,warmup=100"; None: the optimizer function has its own rate.
      checkpoints: when checkpoints are saved and which are kept; the command line can override each option.
      evaluation: when the run is evaluated during training and stops early; the command line can override each option.
      metrics: what a run records: summaries, metrics.jsonl, Prometheus, traces; the command line can override each
        option.
      hooks: `tf.train.SessionRunHook`s for the session of `legacy-towers train`; or, since a job exists before its
        graph, a function that takes the step and returns them.
      callbacks: `lt.training.Callback`s, which `legacy-towers train` calls with plain values.
      warm_start: initial values from another checkpoint: an `lt.training.WarmStart`, or the name of a checkpoint. A run
        that resumes does not use it. The command line can override it.
      step_options: options of `lt.build_train_step`, such as update_ops="mean", on_missing="zeros" or
        moving_average_decay=0.99, with which the moving averages are evaluated. The command line can override variables
        and reduction; names, such as "replicated" and "tree", fit any number of towers.

    Raises:
      JobError: `lt.build_train_step` does not have a step option, or the run chooses it.
      ArgumentError: the hooks are no hooks, the callbacks no callbacks, or warm_start no valid warm start.
    """

    def __init__(
        self,
        model_fn: Callable[[Any, str], Any],
        train: Any,
        optimizer: Callable[..., Any],
        test: Optional[Any] = None,
        per_tower_batch_size: int = 32,
        epochs: int = 1,
        input: str = "dataset",
        schedule: Optional[str] = None,
        checkpoints: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
        evaluation: EvaluationOptions = EvaluationOptions(),  # noqa: B008 - immutable
        metrics: MetricsOptions = MetricsOptions(),  # noqa: B008 - immutable
        hooks: Any = (),
        callbacks: Sequence[Callback] = (),
        warm_start: Union[None, str, WarmStart] = None,
        **step_options: Any
    ) -> None:
        # Not at the top: they import TensorFlow.
        from legacy_towers.step import build_train_step
        from legacy_towers.training.user_hooks import check_hooks

        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(build_train_step).parameters.items()
            if name not in _NOT_STEP_OPTIONS
        }
        for name in step_options:
            if name not in defaults:
                raise JobError("lt.Job has no option {!r}: the options of its step are {}".format(
                    name, quoted(defaults, most=len(defaults))
                ))
        self.model_fn = model_fn
        self.train = train
        self.optimizer = optimizer
        self.test = test
        self.per_tower_batch_size = per_tower_batch_size
        self.epochs = epochs
        self.input = input
        self.schedule = schedule
        self.checkpoints = checkpoints
        self.evaluation = evaluation
        self.metrics = metrics
        check_hooks(hooks)
        self.hooks = hooks
        self.callbacks = check_callbacks(callbacks)
        self.warm_start = as_warm_start(warm_start)
        self.step_options: Dict[str, Any] = dict(defaults, **step_options)

    def __getattr__(self, name: str) -> Any:
        """Returns a step option."""
        options = vars(self).get("step_options", {})
        if name not in options:
            raise AttributeError("an lt.Job has no attribute {!r}".format(name))
        return options[name]

    def replace(self, **changes: Any) -> "Job":
        """Returns a copy with other values for some of its arguments."""
        arguments = {name: value for name, value in vars(self).items() if name != "step_options"}
        return Job(**dict(arguments, **dict(self.step_options, **changes)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        arguments = [(name, value) for name, value in vars(self).items() if name != "step_options"]
        arguments += list(self.step_options.items())
        return "Job({})".format(", ".join("{}={!r}".format(*each) for each in arguments))


class JobFunction:
    """A job function, whose parameters, with their defaults, are its options on the command line."""

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

    @property
    def checksum(self) -> str:
        """Eight hexadecimal digits that differ where the text of the job's file does."""
        with open(self._function.__code__.co_filename, "rb") as file:
            return "{:08x}".format(zlib.crc32(file.read()))

    def __call__(self, **options: Any) -> Job:
        job = self._function(**options)
        if job is None:
            raise JobError(
                "the job {!r} returned nothing, not an lt.Job: its function needs return lt.Job(...)".format(self.name)
            )
        if not isinstance(job, Job):
            raise JobError("the job {!r} returned {}, not an lt.Job".format(self.name, type(job).__name__))
        return job


def job(function: Callable[..., Job]) -> JobFunction:
    """Marks a function that returns a `Job`, so that the command line finds it.

        @lt.job
        def digits(data_dir="digits-data", learning_rate=0.1):
            return lt.Job(model_fn, train=..., optimizer=...)

    Raises:
      JobError: a parameter has no default, or one that is not a bool, int, float or str.
    """
    return JobFunction(function)


def load_job(text: str) -> JobFunction:
    """Loads a job from `path/to/file.py` (which has exactly one) or from `path/to/file.py:name`.

    The file is imported as a module; like a script, it can import modules from its own folder. Jobs that it imports are
    found by name, or if the file defines none itself.

    Raises:
      JobError: there is no such file, or no such job in it. An error of the file's own code is raised as it is.
    """
    path, name = _split(text)
    if not os.path.isfile(path):
        raise JobError(
            "there is no job file {!r}{}: a JOB is path/to/file.py or path/to/file.py:name".format(
                path, working_directory_of(path)
            )
        )
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


def declares_jobs(text: str) -> bool:
    """Returns whether a function in the file of `path/to/file.py:name` is marked with `lt.job`; the file is not run."""
    return bool(_declared_jobs(text))


def _declared_jobs(text: str) -> List[ast.FunctionDef]:
    path = _split(text)[0]
    try:
        with open(path, "rb") as source:
            statements = ast.parse(source.read()).body
    except (OSError, SyntaxError, ValueError):
        return []
    modules: Set[str] = set()
    marks: Set[str] = set()
    for each in statements:
        if isinstance(each, ast.Import):
            modules.update(alias.asname or alias.name for alias in each.names if alias.name == "legacy_towers")
        elif isinstance(each, ast.ImportFrom) and each.module == "legacy_towers":
            marks.update(alias.asname or alias.name for alias in each.names if alias.name == "job")
    marks.update("{}.job".format(module) for module in modules)
    return [
        each for each in statements
        if isinstance(each, ast.FunctionDef) and [_dotted(mark) in marks for mark in each.decorator_list] == [True]
    ]


def declared_options(text: str) -> Optional[Tuple[str, Dict[str, Any]]]:
    """Returns (name of the job, default of each option), read from the source of its file, which is not run.

    A default that is not a literal is None, which no option has. Returns None where the source is not enough: no such
    file or job, more than one job, or a job that is not a function at the top level of the file with the single
    decorator `lt.job`.
    """
    name = _split(text)[1]
    found = [each for each in _declared_jobs(text) if name in (None, each.name)]
    if len(found) != 1:
        return None
    arguments = found[0].args
    names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
    own = arguments.defaults[-len(arguments.args) :] if arguments.args else []
    # Running the file reports a parameter without a default.
    defaults = [None] * (len(arguments.args) - len(own)) + list(own) + list(arguments.kw_defaults)
    return found[0].name, {option: _literal(default) for option, default in zip(names, defaults)}


def _literal(node: Optional[ast.AST]) -> Any:
    """Returns the value of an expression; None if it is not a literal."""
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return "{}.{}".format(_dotted(node.value), node.attr)
    return node.id if isinstance(node, ast.Name) else ""


def _split(text: str) -> Tuple[str, Optional[str]]:
    path, colon, name = text.rpartition(":")
    # A colon may belong to the path (C:\jobs\train.py): what follows the last one must be an identifier.
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
        raise JobError("{} is not a Python file: a JOB is path/to/file.py or path/to/file.py:name".format(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
