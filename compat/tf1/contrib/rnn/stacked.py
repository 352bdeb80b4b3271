"""Stacked bidirectional networks: each layer reads the forward and backward outputs of the layer before."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat.versions import tf


def stack_bidirectional_rnn(
    cells_fw: List[Any],
    cells_bw: List[Any],
    inputs: List[Any],
    initial_states_fw: Optional[List[Any]] = None,
    initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Tuple[List[Any], Tuple[Any, ...], Tuple[Any, ...]]:
    """Stacks layers of tf.nn.static_bidirectional_rnn on `inputs`, a list of [batch, n].

    Returns:
      (outputs of the last layer, final forward states, final backward states); the states are tuples with one entry
      for each layer.

    Raises:
      ValueError: cells or initial states are not lists of one length.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope("cell_%d" % layer) as cell_scope:
                inputs, state_fw, state_bw = tf.nn.static_bidirectional_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    initial_state_fw=initial_states_fw[layer] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[layer] if initial_states_bw else None,
                    sequence_length=sequence_length,
                    dtype=dtype,
                    scope=cell_scope,
                )
            states.append((state_fw, state_bw))
    return inputs, tuple(state_fw for state_fw, _ in states), tuple(state_bw for _, state_bw in states)


def stack_bidirectional_dynamic_rnn(
    cells_fw: List[Any],
    cells_bw: List[Any],
    inputs: Any,
    initial_states_fw: Optional[List[Any]] = None,
    initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: Optional[int] = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Tuple[Any, Tuple[Any, ...], Tuple[Any, ...]]:
    """Stacks layers of tf.nn.bidirectional_dynamic_rnn on `inputs` [batch, time, n], or [time, batch, n].

    Returns:
      (outputs of the last layer, final forward states, final backward states); the states are tuples with one entry
      for each layer.

    Raises:
      ValueError: cells or initial states are not lists of one length.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope("cell_%d" % layer):
                outputs, last = tf.nn.bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    initial_state_fw=initial_states_fw[layer] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[layer] if initial_states_bw else None,
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = tf.concat(outputs, 2)
            states.append(last)
    return inputs, tuple(state_fw for state_fw, _ in states), tuple(state_bw for _, state_bw in states)


def _check(cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any) -> None:
    for direction, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError("Must specify at least one {} cell for BidirectionalRNN.".format(direction))
        if not isinstance(cells, list):
            raise ValueError("cells_{} must be a list of RNNCells (one per layer).".format(direction))
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for direction, states in (("fw", states_fw), ("bw", states_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError("initial_states_{} must be a list of state tensors (one per layer).".format(direction))
