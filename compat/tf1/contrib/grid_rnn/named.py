"""Grid cells of one, two and three dimensions of BasicRNN, BasicLSTM, LSTM and GRU cells."""
import functools
from typing import Any, Callable

from legacy_towers.compat.tf1.contrib.grid_rnn.cell import GridRNNCell
from legacy_towers.compat.versions import tf


class _FirstDimGrid(GridRNNCell):
    """A grid whose dimension 0 has the input, the output and the priority."""

    def _initialize(self, num_units: int, num_dims: int, cell_fn: Callable[[int], Any], non_recurrent_fn: Any = None,
                **keywords: Any) -> None:
        GridRNNCell.__init__(
            self,
            num_units,
            num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            **keywords
        )


def _flags(state_is_tuple: bool, output_is_tuple: bool, tied: bool = False) -> Any:
    return {"state_is_tuple": state_is_tuple, "output_is_tuple": output_is_tuple, "tied": tied}


def _lstm(forget_bias: float, use_peepholes: bool) -> Callable[[int], Any]:
    return lambda n: tf.nn.rnn_cell.LSTMCell(n, forget_bias=forget_bias, use_peepholes=use_peepholes)


class Grid1BasicRNNCell(_FirstDimGrid):
    """A one-dimensional grid of a BasicRNNCell."""

    def __init__(self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True) -> None:
        self._initialize(num_units, 1, tf.nn.rnn_cell.BasicRNNCell, **_flags(state_is_tuple, output_is_tuple))


class Grid2BasicRNNCell(_FirstDimGrid):
    """A two-dimensional grid of BasicRNNCells."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        flags = _flags(state_is_tuple, output_is_tuple, tied)
        self._initialize(num_units, 2, tf.nn.rnn_cell.BasicRNNCell, non_recurrent_fn, **flags)


class Grid1BasicLSTMCell(_FirstDimGrid):
    """A one-dimensional grid of a BasicLSTMCell."""

    def __init__(
        self, num_units: int, forget_bias: float = 1, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        make = functools.partial(tf.nn.rnn_cell.BasicLSTMCell, forget_bias=forget_bias)
        self._initialize(num_units, 1, make, **_flags(state_is_tuple, output_is_tuple))


class Grid2BasicLSTMCell(_FirstDimGrid):
    """A two-dimensional grid of BasicLSTMCells."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        make = functools.partial(tf.nn.rnn_cell.BasicLSTMCell, forget_bias=forget_bias)
        self._initialize(num_units, 2, make, non_recurrent_fn, **_flags(state_is_tuple, output_is_tuple, tied))


class Grid1LSTMCell(_FirstDimGrid):
    """A one-dimensional grid of an LSTMCell."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        self._initialize(num_units, 1, _lstm(forget_bias, use_peepholes), **_flags(state_is_tuple, output_is_tuple))


class Grid2LSTMCell(_FirstDimGrid):
    """A two-dimensional grid of LSTMCells."""

    _DIMS = 2

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        flags = _flags(state_is_tuple, output_is_tuple, tied)
        self._initialize(num_units, self._DIMS, _lstm(forget_bias, use_peepholes), non_recurrent_fn, **flags)


class Grid3LSTMCell(Grid2LSTMCell):
    """A three-dimensional grid of LSTMCells."""

    _DIMS = 3


class Grid2GRUCell(_FirstDimGrid):
    """A two-dimensional grid of GRUCells."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        flags = _flags(state_is_tuple, output_is_tuple, tied)
        self._initialize(num_units, 2, tf.nn.rnn_cell.GRUCell, non_recurrent_fn, **flags)
