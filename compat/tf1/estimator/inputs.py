"""tf.estimator.inputs: input functions for numpy arrays and pandas DataFrames."""
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from legacy_towers.compat.versions import tf

__all__ = ["numpy_input_fn", "pandas_input_fn"]

_TARGET = "__target_key__"


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns an input function that yields batches of rows.

    A batch may contain rows of two epochs; the last batch may be smaller.

    Args:
      x: an array [n, ...] or a dict of such arrays.
      y: likewise, the labels; None for none.
      batch_size: rows per batch.
      num_epochs: how often each of `num_threads` yields all rows; None for no end.
      shuffle: whether to shuffle; must be given.
      queue_capacity: the number of rows from which shuffling draws.
      num_threads: multiplies `num_epochs`.

    Raises:
      ValueError: `shuffle` is not a bool; when the function is called: arrays differ in length.
      TypeError: when the function is called: `x` is neither an array nor a dict.
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        columns = _columns(x)
        names = list(columns)
        targets = _targets(y, names)
        columns.update(targets)
        lengths = {name: column.shape[0] for name, column in columns.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the same length: "
                "{}".format(lengths)
            )
        batch = _batches(columns, batch_size, num_epochs, bool(shuffle), queue_capacity, num_threads)
        features = {name: batch[name] for name in names} if isinstance(x, dict) else batch[names[0]]
        if y is None:
            return features
        return features, {name: batch[name] for name in targets} if isinstance(y, dict) else batch[_TARGET]

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function that yields batches of rows of a pandas DataFrame, see `numpy_input_fn`.

    Args:
      x: a DataFrame.
      y: the labels, a Series or DataFrame with the index of `x`; None for none.
      batch_size: rows per batch.
      num_epochs: see `numpy_input_fn`.
      shuffle: whether to shuffle; must be given.
      queue_capacity: see `numpy_input_fn`.
      num_threads: see `numpy_input_fn`.
      target_column: the name of a Series `y`, which no column of `x` may have.

    Raises:
      ValueError: `shuffle` is not a bool, the indexes differ, or `x` has a column named `target_column`.
      TypeError: `target_column` is not a string.
    """
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    columns = {name: x[name].to_numpy() for name in x.columns}
    targets: Dict[str, Any] = {}
    if y is not None:
        if target_column in columns:
            raise ValueError(
                "Cannot use name {} for target column: DataFrame already has a column with that name: {}".format(
                    target_column, list(columns)
                )
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                "Index for x and y are mismatched.\nIndex for x: {}\nIndex for y: {}\n".format(x.index, y.index)
            )
        is_frame = hasattr(y, "columns")
        targets = {name: y[name].to_numpy() for name in y.columns} if is_frame else {target_column: y.to_numpy()}

    def input_fn() -> Any:
        capacity = queue_capacity if queue_capacity is not None else 4 * len(x)
        # Tuples as keys, since a target may have the name of a column.
        both = {("x", name): column for name, column in columns.items()}
        both.update({("y", name): column for name, column in targets.items()})
        batch = _batches(both, batch_size, num_epochs, bool(shuffle), capacity, num_threads)
        features = {name: batch["x", name] for name in columns}
        if y is None:
            return features
        labels = {name: batch["y", name] for name in targets}
        return features, labels if hasattr(y, "columns") else labels[target_column]

    return input_fn


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
            "training); got {}".format(shuffle)
        )


def _columns(x: Any) -> Dict[str, Any]:
    if isinstance(x, np.ndarray):
        return {"__direct_np_input__": x}
    if not isinstance(x, dict):
        raise TypeError("x must be a dict or array; got {}".format(type(x).__name__))
    if not x:
        raise ValueError("x cannot be an empty dict")
    return {name: np.asarray(x[name]) for name in sorted(x)}


def _targets(y: Any, names: List[str]) -> Dict[str, Any]:
    if y is None:
        return {}
    if not isinstance(y, dict):
        return {_TARGET: np.asarray(y)}
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    both = sorted(set(names) & set(y))
    if both:
        raise ValueError("{} duplicate keys are found in both x and y: {}".format(len(both), both))
    return {name: np.asarray(y[name]) for name in sorted(y)}


def _batches(
    columns: Dict[Any, Any], batch_size: int, epochs: Optional[int], shuffle: bool, capacity: int, threads: int
) -> Dict[Any, Any]:
    """Returns name -> tensor of the next batch.

    TensorFlow 1 has a queue here; a generator yields the same batches and needs no queue runner.
    """
    names = list(columns)
    arrays = [_with_bytes(columns[name]) for name in names]
    count = arrays[0].shape[0]
    rounds = None if epochs is None else epochs * threads

    def rows() -> Iterator[Tuple[Any, ...]]:
        for chosen in _row_numbers(count, batch_size, rounds, shuffle, max(capacity, 1)):
            yield tuple(array[chosen] for array in arrays)

    size = batch_size if epochs is None else None
    types = tuple(tf.as_dtype(array.dtype) for array in arrays)
    shapes = tuple(tf.TensorShape([size]).concatenate(array.shape[1:]) for array in arrays)
    dataset = tf.data.Dataset.from_generator(rows, types, shapes).prefetch(1)
    return dict(zip(names, tf.data.make_one_shot_iterator(dataset).get_next()))


def _row_numbers(
    count: int, batch_size: int, rounds: Optional[int], shuffle: bool, window: int
) -> Iterator[np.ndarray]:
    """Yields the row numbers of each batch; with `shuffle` they are drawn from a buffer of `window` rows."""
    random = np.random.RandomState()
    left = None if rounds is None else rounds * count
    first = random.randint(count) if shuffle and count else 0
    position = 0
    waiting: List[int] = []
    while count and (left is None or position < left or waiting):
        while len(waiting) < max(batch_size, window if shuffle else 0) and (left is None or position < left):
            waiting.append((first + position) % count)
            position += 1
        taken = min(batch_size, len(waiting))
        if shuffle:
            chosen = [_drawn(waiting, random) for _ in range(taken)]
        else:
            chosen, waiting = waiting[:taken], waiting[taken:]
        yield np.asarray(chosen, np.int64)


def _drawn(waiting: List[int], random: Any) -> int:
    other = random.randint(len(waiting))
    waiting[other], waiting[-1] = waiting[-1], waiting[other]
    return waiting.pop()


def _with_bytes(column: Any) -> Any:
    """Returns `column`; an array of strings as an array of objects, which can be converted to a string tensor."""
    return column.astype(object) if column.dtype.kind in "US" else column
