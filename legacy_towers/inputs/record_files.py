"""The hook of input pipelines that read files: it notices changed files, and names the records of errors."""
import contextlib
import os
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.data.record_errors import named_error
from legacy_towers.errors import RecordError
from legacy_towers.tensor_types import Session, SessionRunHook

# Seconds between two looks at the sizes of the files.
_SECONDS = 60.0


class RecordFilesHook(tf.train.SessionRunHook):
    """Raises RecordError if a file is removed, or changes its size, while a session reads it.

    It looks once a minute and at the end, at files of the local file system. `explain` names the record of an error.
    """

    per_run_action = ""  # runs work without it

    def __init__(self, examples: Any) -> None:
        self._examples = examples
        self._sizes = _sizes(examples.source.paths)
        self._next_look = 0.0

    def begin(self) -> None:
        self._next_look = time.monotonic() + _SECONDS

    def before_run(self, run_context: Any) -> None:
        if time.monotonic() >= self._next_look:
            self._look()

    def end(self, session: Session) -> None:
        self._look()

    def explain(self, error: BaseException) -> Optional[RecordError]:
        """Returns an error that names the file and the record of `error`; None if it comes from no record."""
        return named_error(self._examples, error)

    def _look(self) -> None:
        self._next_look = time.monotonic() + _SECONDS
        now = _sizes(self._sizes)
        for path, size in self._sizes.items():
            if path not in now:
                raise RecordError("{} was removed while it was read".format(path))
            if now[path] != size:
                raise RecordError("{} changed while it was read: it had {:,} bytes, and has {:,} now".format(
                    path, size, now[path]
                ))


def record_hooks(examples: Any) -> List[SessionRunHook]:
    """Returns the hook of examples whose errors it can name, in a list: from files, or with a log; [] for others."""
    return [RecordFilesHook(examples)] if examples.source.paths or examples.source.log is not None else []


def explained(hooks: Sequence[Any], error: BaseException) -> Optional[BaseException]:
    """Returns an error that names the file and the record of `error`, by the hooks of a step; None if there is none."""
    for hook in hooks:
        explain = getattr(hook, "explain", None)
        named = None if explain is None else explain(error)
        if named is not None:
            found: BaseException = named
            return found
    return None


@contextlib.contextmanager
def explaining(hooks: Sequence[Any], source: str = "") -> Iterator[None]:
    """Raises TensorFlow's errors of the block inside as errors that name file and record, where they come from one.

    Args:
      hooks: those of a step.
      source: a description of what is read, for a damaged record that no hook finds.
    """
    try:
        yield
    except tf.errors.OpError as error:
        named: Optional[BaseException] = explained(hooks, error)
        if named is None and source and type(error) is tf.errors.DataLossError:
            message = "{}, while reading {}".format(plain_message(error), source)
            named = tf.errors.DataLossError(error.node_def, error.op, message)
        if named is None:
            raise
        raise named from None


def _sizes(paths: Any) -> Dict[str, int]:
    sizes = {}
    for path in paths:
        if "://" in path:
            continue
        try:
            sizes[path] = os.stat(path).st_size
        except OSError:
            pass
    return sizes
