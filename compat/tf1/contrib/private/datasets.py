"""The base class of tf.data.Dataset in the TF1 API, for subclasses."""
# Private API: tested on 1.15 and 2.21.
from typing import Any

from tensorflow.python.data.ops.dataset_ops import DatasetV1Adapter

__all__ = ["DatasetV1Adapter", "adapted"]


def adapted(adapter: DatasetV1Adapter) -> Any:
    """Returns the dataset that `adapter` wraps."""
    return adapter._dataset  # pylint: disable=protected-access
