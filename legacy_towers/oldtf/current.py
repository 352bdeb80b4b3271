"""The script that this process runs, and what was noticed about it.

One process runs one script: this is the one place that knows it, so that a function deep inside `oldtf` can say where
the script called it. Where no script runs (`from legacy_towers.compat import tf`), notices are Python warnings.
"""
import collections
import functools
import os
import sys
import traceback
import types
import warnings
from typing import Any, Callable, Counter, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers import compat, errors

# Frames of these are never where the user wrote something.
_OURS = "legacy_towers"
# The name under which scripts import TensorFlow 1.x, see `oldtf.tree`.
TREE = "legacy_towers.oldtf.tf1"
# Folders of installed packages.
_LIBRARIES = ("site-packages", "dist-packages")


class Place(NamedTuple):
    path: str
    line: int

    def __str__(self) -> str:
        return "{}:{}".format(self.path, self.line)


class Notice(NamedTuple):
    """What a name of the script was taken for.

    Attributes:
      place: the file and line of the script.
      name: what stands there: "tf.mul".
      meaning: what it was taken for: "tf.multiply".
    """

    place: Place
    name: str
    meaning: str


class ScriptRun:
    """One run of a script: its root, and what was mapped on the way.

    Args:
      script: the path of the script, or the name of the module.
      root: the folder that the script lies in, whose files belong to it. Modules from elsewhere do too, if they are
        neither Python's nor those of installed packages: scripts extend sys.path.
      options: the launcher's options, see `cli.run`.
    """

    def __init__(self, script: str, root: str, options: Any = None) -> None:
        self.script = script
        self.root = root
        self.options = options
        # The module that was `__main__` before the script; it must live as long as its functions run.
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
        # What the script meets as devices and sessions, see `oldtf.machine`; None: TensorFlow's own.
        self.machine: Any = None
        # What is called once TensorFlow is imported, and the machine has begun; see `when_tensorflow_is_there`.
        self.waiting_for_tensorflow: List[Callable[[], None]] = []
        # The error that the script ended by, in words; None: it came to its end, or runs.
        self.ended_by: Optional[str] = None
        self._said: Set[Notice] = set()

    def owns(self, path: str) -> bool:
        """Returns whether the file at `path` belongs to the script."""
        if path not in self._owned:
            self._owned[path] = _is_users(path, self.roots)
        return self._owned[path]

    def add_root(self, folder: str) -> None:
        """Says that what lies below `folder` belongs to the script, installed or not."""
        self.roots.append(folder)
        self._owned.clear()

    def add_file(self, path: str) -> None:
        """Says that code whose file is called `path` belongs to the script, whatever the path looks like."""
        self._owned[path] = True
        self.files.append(path)

    def shown(self, path: str) -> str:
        """Returns `path` as a person would type it where the script was started."""
        below = self._started_in + os.sep
        return path[len(below) :] if path.startswith(below) else path

    def notice(self, notice: Notice) -> None:
        """Keeps `notice` and says it once on standard error."""
        if notice in self._said:
            return
        self._said.add(notice)
        self.notices.append(notice)
        say("{}: {}: taken for {}".format(*notice))

    def when_tensorflow_is_there(self, call: Callable[[], None]) -> None:
        """Calls `call` at the script's first import of TensorFlow; at once, if it is imported.

        The script may set environment variables before it imports TensorFlow: nothing of ours may do so earlier.
        """
        if TREE in sys.modules:
            call()
        else:
            self.waiting_for_tensorflow.append(call)

    def note_end(self, error: BaseException) -> None:
        """Keeps in words that the script ended by `error`, which may be a SystemExit."""
        if not isinstance(error, SystemExit):
            self.ended_by = traceback.format_exception_only(type(error), error)[-1].strip()
        elif error.code:
            self.ended_by = "exit code {}".format(error.code if isinstance(error.code, int) else 1)


_running: List[ScriptRun] = []


def running() -> Optional[ScriptRun]:
    """Returns the run of the script that this process executes, None where none is."""
    return _running[-1] if _running else None


def tensorflow_is_imported() -> None:
    """Tells the running script's machine, and who else waits for it, that TensorFlow is there: at its first import."""
    run = running()
    if run is None:
        return
    if run.machine is not None:
        run.machine.start()
    while run.waiting_for_tensorflow:
        run.waiting_for_tensorflow.pop(0)()


def begin(run: ScriptRun) -> None:
    """Makes `run` the one that this process executes."""
    _running.append(run)


def end() -> None:
    """Takes back what `begin` did."""
    _running.pop()


def say(sentence: str) -> None:
    """Prints one line of ours on standard error."""
    # In one piece: print's own line end is written apart, and a script's other processes write too. At once: before
    # Python 3.9 a process that its parent ends, as those of a pool, would take it along.
    print("legacy-towers: {}\n".format(sentence), end="", file=sys.stderr, flush=True)


def place() -> Optional[Place]:
    """Returns where the code of the user was left on the way here, None if it can't be told."""
    run = running()
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        module = str(frame.f_globals.get("__name__"))
        if run is not None and run.owns(path):
            return Place(run.shown(path), frame.f_lineno)
        if run is None and module.split(".")[0] not in (_OURS, "tensorflow", "tf_slim", "importlib"):
            return Place(path, frame.f_lineno)
        frame = frame.f_back
    return None


def _is_users(path: str, roots: List[str]) -> bool:
    # "<string>" and what autograph generates are no file that a user could open.
    if path.startswith("<") or "__autograph_generated_file" in path:
        return False
    path = os.path.abspath(path)
    if path.startswith(_folders_of_python_and_ours()):
        return False
    # A script may itself lie below a site-packages.
    below = min((path[len(root) :] for root in roots if path.startswith(root + os.sep)), key=len, default=path)
    return not any(folder in _LIBRARIES for folder in below.split(os.sep)[:-1])


@functools.lru_cache(maxsize=None)
def _folders_of_python_and_ours() -> Tuple[str, ...]:
    # Not by sysconfig: it imports modules, and it is a finder of modules that asks.
    version = "python{}.{}".format(*sys.version_info)
    python = {
        os.path.dirname(os.path.abspath(os.__file__)),
        os.path.join(sys.base_exec_prefix, getattr(sys, "platlibdir", "lib"), version),
    }
    # compat/ lies elsewhere than this package in an editable install.
    ours = {os.path.dirname(os.path.abspath(str(package.__file__))) for package in (errors, compat)}
    return tuple(folder + os.sep for folder in python | ours)


def say_once(name: str, meaning: str) -> None:
    """Says, once for each line of the script, what `name` was taken for."""
    where = place()
    run = running()
    if where is None:
        return
    if run is not None:
        run.notice(Notice(where, name, meaning))
    else:
        warnings.warn_explicit(
            "{}: taken for {}".format(name, meaning), UserWarning, where.path, where.line, registry=_registry()
        )


def _registry() -> Any:
    return sys.modules[__name__].__dict__.setdefault("__warningregistry__", {})
