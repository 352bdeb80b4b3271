"""The script that this process runs, and the messages about it.

A process runs at most one script. Messages name the script's line that a function was called from. If no script runs
(`from legacy_towers.compat import tf`), they are Python warnings.
"""
import collections
import contextlib
import functools
import os
import sys
import types
import warnings
from typing import Any, Callable, Counter, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers import errors
from legacy_towers.compat import versions
from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.symbols import Symbol

# The package whose frames are never the user's.
_OURS = "legacy_towers"
# Folders of installed packages.
_LIBRARIES = ("site-packages", "dist-packages")


class SourceLine(NamedTuple):
    path: str
    line: int

    def __str__(self) -> str:
        return "{}:{}".format(self.path, self.line)


class Notice(NamedTuple):
    """A name of the script that was replaced.

    Attributes:
      source_line: the file and line of the script.
      name: the name or call in the script: "tf.mul".
      replacement: what it was replaced by: "tf.multiply".
    """

    source_line: SourceLine
    name: str
    replacement: str


class ScriptRun:
    """The state of one run of a script.

    Args:
      script: the path of the script, or the name of the module.
      root: the folder of the script, whose files belong to it. Other files do too, unless they belong to Python or to
        an installed package: scripts extend sys.path.
      options: the options of `legacy-towers run`.
      symbols: names of TensorFlow that `run` replaces while the script runs.
    """

    def __init__(self, script: str, root: str, options: Any = None, symbols: Tuple[Symbol, ...] = ()) -> None:
        self.script = script
        self.root = root
        self.symbols = symbols
        self.options = options
        # The module that was `__main__` before the script; a reference keeps it alive while its functions run.
        self.launcher: Any = None
        # Whether all files of the script are Python 2.
        self.is_python_2 = False
        # The files that were loaded, the script first.
        self.files: List[str] = []
        self._started_in = os.getcwd()
        # The folders whose files belong to the script, `root` first.
        self.roots = [root]
        self._owned: Dict[str, bool] = {}
        self.notices: List[Notice] = []
        # (device asked for, device given) -> number of operations
        self.devices: Counter[Tuple[str, str]] = collections.Counter()
        # The script's devices and sessions, see `legacy_towers.run.runtime`; None: TensorFlow's own.
        self.runtime: Any = None
        # Functions to call once TensorFlow is imported and `runtime` is started; see `when_tensorflow_is_there`.
        self.waiting_for_tensorflow: List[Callable[[], None]] = []
        # Module -> the module that the script imports instead, besides those that every run replaces.
        self.replaced_modules: Dict[str, str] = {}
        # Patches that end with the run.
        self.lasting = contextlib.ExitStack()
        # The error or exit code that the script ended with; None if it succeeded or still runs.
        self.ended_by: Optional[str] = None
        self._reported: Set[Notice] = set()

    def owns(self, path: str) -> bool:
        """Returns whether the file at `path` belongs to the script."""
        if path not in self._owned:
            self._owned[path] = _is_users(path, self.roots)
        return self._owned[path]

    def add_root(self, folder: str) -> None:
        """Makes all files below `folder` belong to the script, installed or not."""
        self.roots.append(folder)
        self._owned.clear()

    def add_file(self, path: str) -> None:
        """Makes code with the file name `path` belong to the script, wherever the file is."""
        self._owned[path] = True
        self.files.append(path)

    def shown(self, path: str) -> str:
        """Returns `path` relative to the folder where the script was started, if it is below that."""
        below = self._started_in + os.sep
        return path[len(below) :] if path.startswith(below) else path

    def notice(self, notice: Notice) -> None:
        """Records `notice` and prints it once on standard error."""
        if notice in self._reported:
            return
        self._reported.add(notice)
        self.notices.append(notice)
        print_message("{}: {}: interpreted as {}".format(*notice))

    def when_tensorflow_is_there(self, call: Callable[[], None]) -> None:
        """Calls `call` at the script's first import of TensorFlow, or now if it is imported already.

        The script may set environment variables before it imports TensorFlow, so `run` must not import it earlier.
        """
        view = script_api.installed("tensorflow")
        if view is not None and view.is_imported():
            call()
        else:
            self.waiting_for_tensorflow.append(call)

    def note_end(self, error: BaseException) -> None:
        """Records the error, possibly a SystemExit, that ended the script."""
        if not isinstance(error, SystemExit):
            self.ended_by = _described(error)
        elif error.code:
            self.ended_by = "exit code {}".format(error.code if isinstance(error.code, int) else 1)


def _described(error: BaseException) -> str:
    """Returns the last line of the traceback of `error`, without the module traceback: the script may have its own."""
    kind = type(error)
    is_plain = kind.__module__ in ("builtins", "__main__")
    name = kind.__qualname__ if is_plain else "{}.{}".format(kind.__module__, kind.__qualname__)
    try:
        text = str(error).strip()
    except Exception:
        text = "<exception str() failed>"
    return "{}: {}".format(name, text) if text else name


class RunningScript:
    """Holds the running script in `sys.meta_path`, so that there is no module-level state; it finds no modules."""

    def __init__(self, run: ScriptRun) -> None:
        self.run = run

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        return None


def running() -> Optional[ScriptRun]:
    """Returns the run of the script that this process executes, None if there is none."""
    for finder in reversed(sys.meta_path):
        if isinstance(finder, RunningScript):
            return finder.run
    return None


def tensorflow_is_imported() -> None:
    """Starts the running script's runtime and calls `waiting_for_tensorflow`, at the first import of TensorFlow."""
    run = running()
    if run is None:
        return
    if run.runtime is not None:
        run.runtime.start()
    while run.waiting_for_tensorflow:
        run.waiting_for_tensorflow.pop(0)()


def begin(run: ScriptRun) -> None:
    """Makes `run` the one that this process executes."""
    sys.meta_path.append(RunningScript(run))
    _look_up_again(run)


def end() -> None:
    """Takes back what the last `begin` did."""
    last = next(each for each in reversed(sys.meta_path) if isinstance(each, RunningScript))
    sys.meta_path.remove(last)
    _look_up_again(last.run)


def _look_up_again(run: ScriptRun) -> None:
    view = script_api.installed("tensorflow")
    if view is not None:
        view.forget([symbol.name for symbol in run.symbols])


def print_message(text: str) -> None:
    """Prints one line with the prefix "legacy-towers: " on standard error."""
    # In one write, since print writes its line end separately and other processes of the script print too. Flushed,
    # since before Python 3.9 the buffer of a process that its parent ends, such as one of a pool, would be lost.
    print("legacy-towers: {}\n".format(text), end="", file=sys.stderr, flush=True)


def calling_line() -> Optional[SourceLine]:
    """Returns the innermost line of the user's code on the call stack, None if there is none."""
    run = running()
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        module = str(frame.f_globals.get("__name__"))
        if run is not None and run.owns(path):
            return SourceLine(run.shown(path), frame.f_lineno)
        if run is None and module.split(".")[0] not in (_OURS, "tensorflow", "tf_slim", "importlib"):
            return SourceLine(path, frame.f_lineno)
        frame = frame.f_back
    return None


def strategy_devices(requested: Sequence[str]) -> List[str]:
    """Returns the devices that replace those that a tf.distribute strategy of the script requests.

    Outside of `legacy-towers run` these are `requested`.
    """
    run = running()
    runtime = run.runtime if run is not None else None
    if runtime is None:
        return list(requested)
    runtime.start()
    return list(runtime.devices.of_strategy(requested))


def _is_users(path: str, roots: List[str]) -> bool:
    # "<string>" and code generated by AutoGraph are not files that a user could open.
    if path.startswith("<") or "__autograph_generated_file" in path:
        return False
    path = os.path.abspath(path)
    if path.startswith(_folders_of_python_and_ours()):
        return False
    # A script may itself be below a site-packages folder.
    below = min((path[len(root) :] for root in roots if path.startswith(root + os.sep)), key=len, default=path)
    return not any(folder in _LIBRARIES for folder in below.split(os.sep)[:-1]) and not _is_installed(path, roots)


def _is_installed(path: str, roots: List[str]) -> bool:
    """Returns whether a folder of sys.path has the metadata of a package with the file, as `pip install --target` does.

    A package that is itself a root, since `-m` runs it, is the user's.
    """
    for folder in map(os.path.abspath, sys.path):
        if not path.startswith(folder + os.sep) or any(
            root.startswith(folder + os.sep) and path.startswith(root + os.sep) for root in roots
        ):
            continue
        if path[len(folder) + 1 :].split(os.sep)[0] in _installed_in(folder):
            return True
    return False


@functools.lru_cache(maxsize=None)
def _installed_in(folder: str) -> FrozenSet[str]:
    """Returns the files and folders in `folder` that packages with metadata there installed."""
    found: Set[str] = set()
    try:
        entries = os.listdir(folder)
    except OSError:
        return frozenset()
    for entry in entries:
        # The .egg-info of a project in development has no such list: its files are the user's.
        if entry.endswith((".dist-info", ".egg-info")):
            for listing, up in (("RECORD", ""), ("installed-files.txt", "../")):
                with contextlib.suppress(OSError, UnicodeError):
                    with open(os.path.join(folder, entry, listing), encoding="utf-8") as file:
                        lines = (line.strip()[len(up) :] for line in file if line.startswith(up))
                        found.update(line.split("/")[0].split(",")[0] for line in lines)
    return frozenset(found)


@functools.lru_cache(maxsize=None)
def _folders_of_python_and_ours() -> Tuple[str, ...]:
    # Not from sysconfig: it imports modules, and a finder of modules calls this.
    version = "python{}.{}".format(*sys.version_info)
    python = {
        os.path.dirname(os.path.abspath(os.__file__)),
        os.path.join(sys.base_exec_prefix, getattr(sys, "platlibdir", "lib"), version),
    }
    # In an editable install compat/ is in another folder than the rest of the package.
    compat = os.path.dirname(os.path.dirname(os.path.abspath(str(versions.__file__))))
    ours = {os.path.dirname(os.path.abspath(str(errors.__file__))), compat}
    return tuple(folder + os.sep for folder in python | ours)


def report_replacement(name: str, replacement: str) -> None:
    """Reports, once for each line of the script, what `name` is replaced by."""
    line = calling_line()
    run = running()
    if line is None:
        return
    if run is not None:
        run.notice(Notice(line, name, replacement))
    else:
        warnings.warn_explicit(
            "{}: interpreted as {}".format(name, replacement), UserWarning, line.path, line.line, registry=_registry()
        )


def _registry() -> Any:
    return sys.modules[__name__].__dict__.setdefault("__warningregistry__", {})
