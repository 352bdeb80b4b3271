"""The script that this process runs, and what was noticed about it.

One process runs one script: this is the one place that knows it, so that a function deep inside `oldtf` can say where
the script called it. Where no script runs (`from legacy_towers.compat import tf`), notices are Python warnings.
"""
import collections
import sys
import types
import warnings
from typing import Any, Counter, List, NamedTuple, Optional, Set, Tuple

# Frames of these are never where the user wrote something.
_OURS = "legacy_towers"


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
      script: the path of the script.
      root: the folder whose files belong to the script.
      options: the launcher's options, see `oldtf.run`.
    """

    def __init__(self, script: str, root: str, options: Any = None) -> None:
        self.script = script
        self.root = root
        self.options = options
        self.notices: List[Notice] = []
        # (device asked for, device given) -> number of operations
        self.devices: Counter[Tuple[str, str]] = collections.Counter()
        self._said: Set[Notice] = set()

    def owns(self, path: str) -> bool:
        """Returns whether the file at `path` belongs to the script."""
        return path.startswith(self.root) and "site-packages" not in path

    def notice(self, notice: Notice) -> None:
        """Keeps `notice` and says it once on standard error."""
        if notice in self._said:
            return
        self._said.add(notice)
        self.notices.append(notice)
        print("legacy-towers: {}: {}: taken for {}".format(*notice), file=sys.stderr)


_running: List[ScriptRun] = []


def running() -> Optional[ScriptRun]:
    """Returns the run of the script that this process executes, None where none is."""
    return _running[-1] if _running else None


def begin(run: ScriptRun) -> None:
    """Makes `run` the one that this process executes."""
    _running.append(run)


def end() -> None:
    """Takes back what `begin` did."""
    _running.pop()


def place() -> Optional[Place]:
    """Returns where the code of the user was left on the way here, None if it can't be told."""
    run = running()
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        module = str(frame.f_globals.get("__name__"))
        if run.owns(path) if run is not None else module.split(".")[0] not in (_OURS, "tensorflow", "tf_slim"):
            return Place(path, frame.f_lineno)
        frame = frame.f_back
    return None


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
