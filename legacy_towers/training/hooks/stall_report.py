"""What a run can wait for: queues and their sizes, staging areas, iterators, workers, and where each thread is."""
import linecache
import os
import sys
import sysconfig
import threading
from typing import Any, Dict, List, NamedTuple, Optional, Set

from legacy_towers.compat import tf
from legacy_towers.graph.local_queues import local_queues
from legacy_towers.graph.op_kinds import ITERATOR_INPUT_OPS, QUEUE_INPUT_OPS, STAGING_INPUT_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.text.names import listed

# How long TensorFlow may take to return the sizes.
_SIZES_SECONDS = 5.0
_SIZE_OPS = {"MapPeek": "MapSize", "MapUnstage": "MapSize", "Unstage": "StageSize", "StagePeek": "StageSize"}


class _Source(NamedTuple):
    """A place where data waits: its name, who reads it, its capacity, and a tensor with its size."""

    name: str
    readers: Set[str]
    capacity: Optional[int]
    size: Any


class StallReport:
    """Describes what a step waits for. To be created before the graph is finalized.

    Args:
      step: the `TrainStep`, whose towers are named; None: no tower is.
    """

    def __init__(self, step: Optional[Any]) -> None:
        self._sources: Dict[Any, _Source] = {}
        self._queues = {queue.queue_ref.op: queue for queue in local_queues()}
        self._workers: List[str] = []  # those without which a step can't end
        if step is not None:
            if step.watch_hook is not None and step.asynchronous is None:
                self._workers = step.watch_hook.others
            for tower in step.towers:
                self._add_readers(ancestors(list(tower.losses.values())), "tower {}".format(tower.index))
        for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            self._add_readers(ancestors(list(runner.enqueue_ops)), "a queue runner")
        for handle in self._queues:
            self._queue(handle)

    def text(self, session: Any, session_thread: Optional[int]) -> str:
        """Returns what is waited for, a line each."""
        sizes = self._sizes(session)
        lines = []
        for key, source in self._sources.items():
            size = sizes.get(key)
            state = "of unknown size" if size is None else "empty" if not size else "has {:,}".format(size)
            if source.size is None:
                state = "whether it has an element is unknown"
            elif source.capacity and source.capacity > 0:
                state += " of {:,} elements".format(source.capacity) if size else " (capacity {:,})".format(
                    source.capacity
                )
            readers = listed(sorted(source.readers)) or "nothing of the step"
            lines.append("{} is read by {}: {}".format(source.name, readers, state))
        if self._workers:
            lines.append("{}: each worker has to run the same step".format(listed(self._workers)))
        return "\n".join("  " + line for line in lines + _threads(session_thread))

    def _add_readers(self, operations: Any, reader: str) -> None:
        for operation in operations:
            if operation.type in QUEUE_INPUT_OPS:
                for handle in set(ancestors([operation.inputs[0].op])) & set(self._queues):
                    self._queue(handle).readers.add(reader)
            elif operation.type in STAGING_INPUT_OPS:
                self._staging_area(operation).readers.add(reader)
            elif operation.type in ITERATOR_INPUT_OPS:
                name = operation.inputs[0].op.name if operation.inputs else operation.name
                self._sources.setdefault(name, _Source(
                    "the iterator {!r}".format(name), set(), None, None
                )).readers.add(reader)

    def _queue(self, handle: Any) -> _Source:
        if handle not in self._sources:
            queue = self._queues[handle]
            with tf.device(queue.queue_ref.device), tf.name_scope("stall"):
                size = queue.size()
            capacity = handle.get_attr("capacity")
            self._sources[handle] = _Source("the queue {!r}".format(handle.name), set(), int(capacity), size)
        return self._sources[handle]

    def _staging_area(self, read: Any) -> _Source:
        key = (read.get_attr("shared_name") or read.name, read.device)
        if key not in self._sources:
            size = None
            if read.type in _SIZE_OPS:
                names = ("dtypes", "capacity", "memory_limit", "container", "shared_name")
                # On the area's own device: from another one the size is 0.
                with tf.device(read.device), tf.name_scope("stall"):
                    size = getattr(tf.raw_ops, _SIZE_OPS[read.type])(**{
                        name: _attribute(read, name) for name in names
                    })
            self._sources[key] = _Source("the staging area {!r}".format(
                _attribute(read, "shared_name") or read.name
            ), set(), None, size)
        return self._sources[key]

    def _sizes(self, session: Any) -> Dict[Any, int]:
        fetches = {key: source.size for key, source in self._sources.items() if source.size is not None}
        keys = list(fetches)
        found: Dict[Any, int] = {}

        def fetch() -> None:
            try:
                found.update(zip(keys, session.run([fetches[key] for key in keys])))
            except (tf.errors.OpError, RuntimeError):
                pass  # the sizes are unknown

        thread = threading.Thread(target=fetch, name="legacy_towers stall sizes")
        thread.daemon = True
        thread.start()
        thread.join(_SIZES_SECONDS)
        return dict(found)


def _attribute(operation: Any, name: str) -> Any:
    value = operation.get_attr(name)
    return value.decode("utf-8") if isinstance(value, bytes) else value


def _threads(session_thread: Optional[int]) -> List[str]:
    """Returns where each thread is in the user's own code, the session's thread first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames()
    lines = []
    for ident in sorted(frames, key=lambda each: each != session_thread):
        frame: Any = frames[ident]
        while frame is not None and not _is_users(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None or ident == threading.get_ident():
            continue
        path, number = frame.f_code.co_filename, frame.f_lineno
        lines.append("{} is at {}:{}, in {}: {}".format(
            "the session's thread" if ident == session_thread else "the thread {!r}".format(names.get(ident, ident)),
            path, number, frame.f_code.co_name, linecache.getline(path, number).strip() or "?",
        ))
    return lines


def _is_users(path: str) -> bool:
    if path.startswith("<"):
        return False
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    roots = [ours, os.path.join(os.path.dirname(ours), "compat")]
    roots += [sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")]
    path = os.path.abspath(path)
    installed = {"site-packages", "dist-packages"} & set(path.split(os.sep))
    return not installed and not any(path.startswith(root + os.sep) for root in roots)
