"""The recurrent layers of tf.keras with the variable names of TensorFlow 1.15: lstm/kernel, not lstm/lstm_cell/kernel.

Checkpoints of 1.15 restore by these names. Since TensorFlow 2.0 a cell that a layer builds has a scope of its own; one
that is built before is left as it is, and that is all that these classes do.
"""
from typing import Any, Iterable

from legacy_towers.compat import tf


def _build(cell: Any, shape: Any) -> None:
    """Builds `cell` in the scope of its layer, for inputs of `shape`: the batch first, no time."""
    if not isinstance(cell, tf.keras.layers.Layer) or cell.built:
        return
    if isinstance(cell, tf.keras.layers.StackedRNNCells):
        _build_in_a_row(cell.cells, shape)
    cell.build(shape)
    cell.built = True


def _build_in_a_row(cells: Iterable[Any], shape: Any) -> None:
    first = tf.nest.flatten(shape)[0]
    batch = first.as_list()[0] if isinstance(first, tf.TensorShape) else first
    for cell in cells:
        _build(cell, shape)
        size = getattr(cell, "output_size", None)
        if size is None:
            size = cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size
        shape = _with_batch(batch, size)


def _with_batch(batch: Any, size: Any) -> Any:
    if not isinstance(size, (int, tf.TensorShape)):
        return tf.nest.map_structure(lambda each: _with_batch(batch, each), size)
    return (batch,) + tuple(tf.TensorShape(size).as_list())


def _without_time(shape: Any, time_major: bool) -> Any:
    """Returns the shape of a step, or of each of its parts."""
    if isinstance(shape, dict):
        return {name: _without_time(each, time_major) for name, each in shape.items()}
    if isinstance(shape, (list, tuple)) and any(isinstance(each, (list, tuple, tf.TensorShape)) for each in shape):
        parts = [_without_time(each, time_major) for each in shape]
        return type(shape)(*parts) if hasattr(shape, "_fields") else type(shape)(parts)
    sizes = tuple(tf.TensorShape(shape).as_list())
    return sizes[1:] if time_major else sizes[:1] + sizes[2:]


class StackedRNNCells(tf.keras.layers.StackedRNNCells):
    """tf.keras.layers.StackedRNNCells."""

    def build(self, input_shape: Any) -> None:
        _build_in_a_row(self.cells, input_shape[0] if isinstance(input_shape, list) else input_shape)
        super().build(input_shape)


class RNN(tf.keras.layers.RNN):
    """tf.keras.layers.RNN."""

    def __init__(self, cell: Any, *arguments: Any, **options: Any) -> None:
        cells = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        super().__init__(cells, *arguments, **options)

    def build(self, input_shape: Any) -> None:
        inputs = input_shape[0] if isinstance(input_shape, list) else input_shape
        _build(self.cell, _without_time(inputs, self.time_major))
        super().build(input_shape)


class _OfOneCell(RNN):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # 1.15 numbered the cells within layers with those of the script: a cell made now gets the next name.
        self.cell._name = type(self.cell)(1).name


class LSTM(tf.keras.layers.LSTM, _OfOneCell):
    """tf.keras.layers.LSTM."""


class GRU(tf.keras.layers.GRU, _OfOneCell):
    """tf.keras.layers.GRU."""


class SimpleRNN(tf.keras.layers.SimpleRNN, _OfOneCell):
    """tf.keras.layers.SimpleRNN."""


class ConvLSTM2D(tf.keras.layers.ConvLSTM2D):
    """tf.keras.layers.ConvLSTM2D, which 1.15 calls conv_lst_m2d where the script gives no name."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if options.get("name") is None:
            options["name"] = _Named().name
        super().__init__(*arguments, **options)


class _Named(tf.keras.layers.Layer):
    """What the next layer of this name is called."""


_Named.__name__ = "ConvLST_M2D"


for _each in (RNN, LSTM, GRU, SimpleRNN, ConvLSTM2D, StackedRNNCells):
    # Models that are saved name these classes as those of tf.keras, and any Keras reads them. Models that are read or
    # copied are made of these classes: tf.keras asks here first.
    _each.__module__ = getattr(tf.keras.layers, _each.__name__).__module__
    tf.keras.utils.get_custom_objects()[_each.__name__] = _each
