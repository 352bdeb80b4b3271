"""The recurrent layers of tf.keras with the variable names of TensorFlow 1.15: lstm/kernel, not lstm/lstm_cell/kernel.

Checkpoints of 1.15 restore by these names. Since TensorFlow 2.0 a layer builds its cell in a name scope of the cell. A
cell that is built already is not built again, so these classes build it first, in the scope of the layer.
"""
from typing import Any, Iterable

from legacy_towers.compat.versions import tf


def _build(cell: Any, shape: Any) -> None:
    """Builds `cell` in the current scope, that of its layer, for inputs of `shape`, [batch, ...] without time."""
    if not isinstance(cell, tf.keras.layers.Layer) or cell.built:
        return
    if isinstance(cell, tf.keras.layers.StackedRNNCells):
        _build_stacked(cell.cells, shape)
    cell.build(shape)
    cell.built = True


def _build_stacked(cells: Iterable[Any], shape: Any) -> None:
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
    """Returns the shape of one time step; `shape` may be a structure of shapes."""
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
        _build_stacked(self.cells, input_shape[0] if isinstance(input_shape, list) else input_shape)
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
        # 1.15 numbers the cells in layers together with those of the script: a cell made here has the next name.
        self.cell._name = type(self.cell)(1).name


class LSTM(tf.keras.layers.LSTM, _OfOneCell):
    """tf.keras.layers.LSTM."""


class GRU(tf.keras.layers.GRU, _OfOneCell):
    """tf.keras.layers.GRU."""


class SimpleRNN(tf.keras.layers.SimpleRNN, _OfOneCell):
    """tf.keras.layers.SimpleRNN."""


class ConvLSTM2D(tf.keras.layers.ConvLSTM2D):
    """tf.keras.layers.ConvLSTM2D, whose default name in 1.15 is conv_lst_m2d."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if options.get("name") is None:
            options["name"] = _Named().name
        super().__init__(*arguments, **options)


class _Named(tf.keras.layers.Layer):
    """A layer whose class has the name from which 1.15 derives the default name of ConvLSTM2D."""


_Named.__name__ = "ConvLST_M2D"


for _each in (RNN, LSTM, GRU, SimpleRNN, ConvLSTM2D, StackedRNNCells):
    # Saved models contain the class names of tf.keras, so that any Keras can load them. Loaded and cloned models are
    # made of these classes, since tf.keras looks classes up in the custom objects first.
    _each.__module__ = getattr(tf.keras.layers, _each.__name__).__module__
    tf.keras.utils.get_custom_objects()[_each.__name__] = _each
