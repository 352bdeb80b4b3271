"""tf.contrib.learn.io: input functions over NumPy arrays and pandas DataFrames, and batches read from files."""
import importlib.util
from typing import Any, Callable, Optional

import numpy as np

from legacy_towers.compat.tf1.contrib.learn.graph_io import (
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
    read_keyed_batch_examples,
    read_keyed_batch_features,
)
from legacy_towers.compat.tf1.estimator import inputs

__all__ = [
    "HAS_DASK",
    "HAS_PANDAS",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "numpy_input_fn",
    "pandas_input_fn",
    "read_batch_examples",
    "read_batch_features",
    "read_batch_record_features",
    "read_keyed_batch_examples",
    "read_keyed_batch_features",
]

HAS_DASK = False
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns an input function over arrays; as in tf.estimator.inputs, but with `shuffle` True by default."""
    return inputs.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function over a DataFrame; as in tf.estimator.inputs, but with `shuffle` True by default."""
    return inputs.pandas_input_fn(
        x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column
    )


def extract_pandas_data(data: Any) -> Any:
    """Returns the values of a DataFrame as a float64 array; anything else unchanged.

    Raises:
      ValueError: a column's dtype is not int, float or bool.
    """
    if not hasattr(data, "dtypes") or not hasattr(data, "columns"):
        return data
    bad = [str(name) for name, dtype in zip(data.columns, data.dtypes) if np.dtype(dtype).kind not in "iufb"]
    if bad:
        raise ValueError("Data types for extracting pandas data must be int, float, or bool. Found: " + ", ".join(bad))
    return data.values.astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """Returns the values of a DataFrame as an array; anything else unchanged."""
    return data.values if hasattr(data, "columns") else data


def extract_pandas_labels(labels: Any) -> Any:
    """Returns the values of a DataFrame of one column; anything else unchanged.

    Raises:
      ValueError: the DataFrame has several columns.
    """
    if not hasattr(labels, "columns"):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    return labels.values
