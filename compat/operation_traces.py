"""The stack that TensorFlow keeps of where each operation was made, and shows when the operation fails."""
import contextlib
from typing import Any, Callable, FrozenSet, Iterator

from legacy_towers.compat import tf  # noqa: F401  what is imported below comes with it


@contextlib.contextmanager
def without_files(files: FrozenSet[str]) -> Iterator[None]:
    """Leaves the frames of `files` out of the stacks of operations that are made while it lasts, in every thread.

    The errors of TensorFlow, tfprof's view of the code and `Operation.traceback` all show these stacks. It costs a
    look-up in a set for each frame: within the noise on 2.21, below 1 us an operation on 1.15.

    Args:
      files: as the code of these frames names them.
    """
    # Private: TensorFlow has its filter for AutoGraph, and a stack of filters for each thread. Ours is the lowest of
    # each, of threads too that begin later. Tried on 1.15, 2.13 and 2.21.
    from tensorflow.python.util import tf_stack

    class Filter(tf_stack.StackTraceFilter):
        # What AutoGraph's own filter, which is entered above, asks of the one below it.
        def get_filtered_filenames(self) -> FrozenSet[str]:
            return files

    stacks: Any = tf_stack._source_filter_stacks
    ours = Filter()
    # 2.x hands a set in C++ on, 1.15 asks each time.
    if hasattr(ours, "update"):
        ours.update()
    before: Callable[[], Any] = stacks.default_factory
    stacks.default_factory = lambda: before() + [ours]
    for stack in list(stacks.values()):
        stack.append(ours)
    try:
        yield
    finally:
        stacks.default_factory = before
        for stack in list(stacks.values()):
            if ours in stack:
                stack.remove(ours)
