"""The class behind tf.data.Dataset of the TF1 API, to be built upon."""
# Private: tried on 1.15 and 2.21.
from typing import Any

from tensorflow.python.data.ops.dataset_ops import DatasetV1Adapter

__all__ = ["DatasetV1Adapter", "adapted"]


def adapted(adapter: DatasetV1Adapter) -> Any:
    """Returns the dataset that `adapter` was made of."""
    return adapter._dataset  # pylint: disable=protected-access
