"""GridRNNCell: recurrent cells along several dimensions."""
import functools
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

from legacy_towers.compat.tf1.contrib import layers
from legacy_towers.compat.versions import tf

Dims = Union[None, int, Sequence[int]]


class GridRNNCell(tf.nn.rnn_cell.RNNCell):
    """A grid of recurrent cells, one for each of `num_dims` dimensions.

    Args:
      num_units: the number of units of a cell.
      num_dims: the number of dimensions.
      input_dims: the dimensions that the input is projected to.
      output_dims: the dimensions whose outputs are the output of the cell.
      priority_dims: the dimensions that are computed last, from the new outputs of the others.
      non_recurrent_dims: the dimensions that are dense layers without state.
      tied: whether all dimensions share the variables of one cell.
      cell_fn: returns a cell for a number of units, by default an LSTMCell.
      non_recurrent_fn: the activation of non-recurrent dimensions, by default tf.nn.relu.
      state_is_tuple: whether the state is a tuple of the states of dimensions, or their concatenation.
      output_is_tuple: whether the output is a tuple of the outputs of dimensions, or their concatenation.

    Raises:
      ValueError: `num_dims` is below 1, or a dimension does not exist.
      TypeError: `cell_fn` does not return an RNNCell.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Dims = None,
        output_dims: Dims = None,
        priority_dims: Dims = None,
        non_recurrent_dims: Dims = None,
        tied: bool = False,
        cell_fn: Optional[Callable[[int], Any]] = None,
        non_recurrent_fn: Optional[Callable[[Any], Any]] = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        # Does not call Layer.__init__: the variables are created in the scope of the call.
        if num_dims < 1:
            raise ValueError("dims must be >= 1: {}".format(num_dims))
        self._num_units = num_units
        self._num_dims = num_dims
        self._inputs, self._outputs = _dims(input_dims, num_dims), _dims(output_dims, num_dims)
        self._priority = _dims(priority_dims, num_dims)
        self._non_recurrent = _dims(non_recurrent_dims, num_dims)
        self._recurrent = [dim for dim in range(num_dims) if dim not in self._non_recurrent]
        self._tied = tied
        self._non_recurrent_fn = non_recurrent_fn or tf.nn.relu
        self._state_is_tuple = state_is_tuple
        self._output_is_tuple = output_is_tuple
        make = functools.partial(tf.nn.rnn_cell.LSTMCell, state_is_tuple=state_is_tuple) if cell_fn is None else cell_fn
        self._cells = [make(num_units)] * num_dims if tied else [make(num_units) for _ in range(num_dims)]
        cell = self._cells[0]
        if not isinstance(cell, tf.nn.rnn_cell.RNNCell):
            raise TypeError("cell_fn must return an RNNCell instance, saw: {}".format(type(cell)))
        # The size of the state of a dimension; that of an LSTM has a memory cell c before the output h.
        self._size_per_state = sum(cell.state_size) if isinstance(cell.state_size, tuple) else cell.state_size
        self._has_memory = self._size_per_state > num_units
        sizes = tuple(cell.output_size for _ in self._outputs)
        self._output_size = sizes if output_is_tuple else sum(sizes)
        states = tuple(cell.state_size for _ in self._recurrent)
        self._state_size = states if state_is_tuple else self._size_per_state * len(self._recurrent)

    @property
    def output_size(self) -> Any:
        return self._output_size

    @property
    def state_size(self) -> Any:
        return self._state_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        """Computes one step of all dimensions for `inputs` [batch, depth]; returns (outputs, states)."""
        with tf.variable_scope(scope or type(self).__name__):
            step = _Step(self, state)
            step.project(inputs)
            step.run([dim for dim in range(self._num_dims) if dim not in self._priority], True)
            step.run(self._priority, False)
        outputs = tuple(step.outputs[dim] for dim in self._outputs)
        states = tuple(step.states[dim] for dim in self._recurrent)
        empty = tf.zeros([0, 0], inputs.dtype)
        if not self._output_is_tuple:
            outputs = tf.concat(outputs, 1) if outputs else empty
        if not self._state_is_tuple:
            states = tf.concat([part for each in states for part in _parts(each)], 1) if states else empty
        return outputs, states


class _Step:
    """The outputs and states of all dimensions while one step is computed."""

    def __init__(self, grid: GridRNNCell, state: Any) -> None:
        self._grid = grid
        count = grid._num_dims
        self.outputs: List[Any] = [None] * count
        self.states: List[Any] = [None] * count
        self._memory: List[Any] = [None] * count
        self._previous: List[Any] = [None] * count
        for dim, own in zip(grid._recurrent, self._split(state)):
            if grid._has_memory:
                self._memory[dim], self._previous[dim] = own
            else:
                self._previous[dim] = own

    def _split(self, state: Any) -> Iterator[Any]:
        grid = self._grid
        if grid._state_is_tuple:
            if len(grid._recurrent) != len(state):
                raise ValueError("Expected state as a tuple of {} element".format(len(grid._recurrent)))
            for own in state:
                yield own
            return
        for number in range(len(grid._recurrent)):
            own = state[:, number * grid._size_per_state : (number + 1) * grid._size_per_state]
            yield (own[:, : grid._num_units], own[:, grid._num_units :]) if grid._has_memory else own

    def project(self, inputs: Any) -> None:
        """Replaces the previous output (and memory) of the input dimensions by projections of the input."""
        grid = self._grid
        if not grid._inputs or not tf.dimension_value(inputs.shape.with_rank(2)[1]):
            return
        splits = tf.split(inputs, len(grid._inputs), axis=1)
        shape = [tf.dimension_value(splits[0].shape[1]), grid._num_units]
        for dim, own in zip(grid._inputs, splits):
            self._previous[dim] = tf.matmul(own, tf.get_variable("project_m_%d" % dim, shape, dtype=inputs.dtype))
            if grid._has_memory:
                self._memory[dim] = tf.matmul(own, tf.get_variable("project_c_%d" % dim, shape, dtype=inputs.dtype))

    def run(self, dims: Sequence[int], first: bool) -> None:
        """Computes the dimensions `dims` from the new outputs of other dimensions, or else their previous ones."""
        if not dims:
            return
        known = [previous if output is None else output for previous, output in zip(self._previous, self.outputs)]
        if len(known) > 1:
            others = tf.concat(known[:-1], 1)
        else:
            others = tf.zeros([self._previous[0].shape.as_list()[0], 0], self._previous[0].dtype)
        last = known[-1]
        for dim in dims:
            is_recurrent = dim not in self._grid._non_recurrent
            name = "recurrent" if is_recurrent else "non_recurrent"
            with tf.variable_scope(name if self._grid._tied else "{}/cell_{}".format(name, dim)) as scope:
                if self._grid._tied and not (first and dim == dims[0]):
                    scope.reuse_variables()
                if is_recurrent:
                    state = last if self._memory[dim] is None else (self._memory[dim], last)
                    self.outputs[dim], self.states[dim] = self._grid._cells[dim](others, state)
                else:
                    self.outputs[dim] = self._dense(others, last)

    def _dense(self, others: Any, last: Any) -> Any:
        scope = tf.get_variable_scope()
        return layers.fully_connected(
            tf.concat([others, last], 1) if self._grid._num_dims > 1 else last,
            num_outputs=self._grid._num_units,
            activation_fn=self._grid._non_recurrent_fn,
            weights_initializer=scope.initializer or layers.xavier_initializer(),
            weights_regularizer=scope.regularizer,
        )


def _dims(given: Dims, count: int) -> List[int]:
    listed: List[Any] = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    dims = sorted(set(listed))
    if any(dim < 0 or dim >= count for dim in dims):
        raise ValueError("Invalid dims: {}. Must be in [0, {})".format(dims, count))
    return dims


def _parts(state: Any) -> Sequence[Any]:
    return state if isinstance(state, (tuple, list)) else [state]
