"""Damaged records: TensorFlow says at which byte, but not in which file."""
import contextlib
from typing import Iterator

from legacy_towers.compat import tf
from legacy_towers.compat.messages import plain_message


@contextlib.contextmanager
def naming_files(source: str) -> Iterator[None]:
    """Adds to a DataLossError what was being read: `source`, as `Examples.describe` says it."""
    try:
        yield
    except tf.errors.DataLossError as error:
        message = "{}, while reading {}".format(plain_message(error), source)
        raise tf.errors.DataLossError(error.node_def, error.op, message) from None
