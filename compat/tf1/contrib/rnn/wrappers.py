"""AttentionCellWrapper, HighwayWrapper and CompiledWrapper of tf.contrib.rnn."""
from typing import Any, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import CellWrapper, check_cell
from legacy_towers.compat.tf1.core.linear import Linear
from legacy_towers.compat.versions import tf


class AttentionCellWrapper(tf.nn.rnn_cell.RNNCell):
    """Wrapper with attention over the cell's last outputs (https://arxiv.org/abs/1601.06733).

    The state is (the cell's state, the last attention [batch, attn_size], the last outputs
    [batch, attn_size * attn_length]), concatenated where `state_is_tuple` is false.

    Args:
      attn_length: the number of outputs to attend to.
      attn_size: the depth of the attention; the cell's output size by default.
      attn_vec_size: the depth of the attention's hidden layer; `attn_size` by default.
      input_size: the depth of the cell's inputs; that of the wrapper's inputs by default.

    Raises:
      ValueError: `attn_length` is not positive, or the cell's state is a tuple and `state_is_tuple` is false.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: Optional[int] = None,
        attn_vec_size: Optional[int] = None,
        input_size: Optional[int] = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        check_cell(cell)
        if isinstance(cell.state_size, (tuple, list)) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: {}".format(
                    cell.state_size
                )
            )
        if attn_length <= 0:
            raise ValueError("attn_length should be greater than zero, got {}".format(attn_length))
        self._state_is_tuple = state_is_tuple
        self._cell = cell
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._attn_length = attn_length
        self._reuse = reuse
        self._linear1: Optional[Linear] = None
        self._linear2: Optional[Linear] = None
        self._linear3: Optional[Linear] = None

    @property
    def state_size(self) -> Any:
        size = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return size if self._state_is_tuple else sum(size)

    @property
    def output_size(self) -> int:
        return self._attn_size

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell on a projection of `inputs` [batch, n] and the last attention."""
        if not self._state_is_tuple:
            state = tf.split(state, [self._cell.state_size, self._attn_size, self._attn_size * self._attn_length], 1)
        cell_state, attention, past = state
        past = tf.reshape(past, [-1, self._attn_length, self._attn_size])
        if self._linear1 is None:
            self._linear1 = Linear([inputs, attention], self._input_size or inputs.shape.as_list()[1], True)
        output, new_state = self._cell(self._linear1([inputs, attention]), cell_state)
        query = tf.concat(tf.nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        attention = self._attend(query, past)
        with tf.variable_scope("attn_output_projection"):
            if self._linear2 is None:
                self._linear2 = Linear([output, attention], self._attn_size, True)
            output = self._linear2([output, attention])
        past = tf.concat([past[:, 1:], tf.expand_dims(output, 1)], 1)
        states = (new_state, attention, tf.reshape(past, [-1, self._attn_length * self._attn_size]))
        return output, states if self._state_is_tuple else tf.concat(states, 1)

    def _attend(self, query: Any, past: Any) -> Any:
        with tf.variable_scope("attention"):
            kernel = tf.get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            score = tf.get_variable("attn_v", [self._attn_vec_size])
            if self._linear3 is None:
                self._linear3 = Linear(query, self._attn_vec_size, True)
            hidden = tf.reshape(past, [-1, self._attn_length, 1, self._attn_size])
            features = tf.nn.conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
            projected_query = tf.reshape(self._linear3(query), [-1, 1, 1, self._attn_vec_size])
            weights = tf.nn.softmax(tf.reduce_sum(score * tf.tanh(features + projected_query), [2, 3]))
            attended = tf.reduce_sum(tf.reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(attended, [-1, self._attn_size])


class HighwayWrapper(CellWrapper):
    """Wrapper with a highway connection (https://arxiv.org/abs/1505.00387).

        output = carry * input + transform * cell output

    Args:
      couple_carry_transform_gates: whether transform is 1 - carry, instead of a gate with its own variables.
      carry_bias_init: initial bias of the carry gate; that of the transform gate is its negative.
    """

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        # The wrapper is not initialized as a layer: all variables are created in the caller's variable scope.
        self._cell = cell
        self._couple_carry_transform_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        outputs, new_state = self._cell(inputs, state, scope=scope)
        tf.nest.assert_same_structure(inputs, outputs)
        for tensor, output in zip(tf.nest.flatten(inputs), tf.nest.flatten(outputs)):
            tensor.shape.assert_is_compatible_with(output.shape)
        return tf.nest.map_structure(self._highway, inputs, outputs), new_state

    def _highway(self, inputs: Any, outputs: Any) -> Any:
        carry = self._gate("carry", inputs, self._carry_bias_init)
        if self._couple_carry_transform_gates:
            transform = 1 - carry
        else:
            transform = self._gate("transform", inputs, -self._carry_bias_init)
        return inputs * carry + outputs * transform

    def _gate(self, name: str, inputs: Any, bias_start: float) -> Any:
        size = tf.dimension_value(inputs.shape.with_rank(2)[1])
        weight = tf.get_variable(name + "_w", [size, size])
        bias = tf.get_variable(name + "_b", [size], initializer=tf.constant_initializer(bias_start))
        return tf.sigmoid(tf.nn.xw_plus_b(inputs, weight, bias))


class CompiledWrapper(CellWrapper):
    """Wrapper that compiles the cell's ops with XLA; stateful ops only if `compile_stateful` is true."""

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        self._cell = cell
        self._compile_stateful = compile_stateful

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Tuple[Any, Any]:
        from legacy_towers.compat.tf1.private import rnn

        compile_ops = True if self._compile_stateful else lambda node: not rnn.is_stateful_op_type(node.op)
        with tf.xla.experimental.jit_scope(compile_ops=compile_ops):
            return self._cell(inputs, state, scope=scope)
