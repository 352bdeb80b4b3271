"""AttentionWrapper of tf.contrib.seq2seq: an RNN cell with attention over a memory."""
import collections
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from legacy_towers.compat.tf1.contrib.seq2seq.mechanisms import AttentionMechanism
from legacy_towers.compat.tf1.private import rnn
from legacy_towers.compat.versions import keras_modules, tf

_TILE_BATCH_HINT = (
    "Are you using the BeamSearchDecoder?  You may need to tile it with tf.contrib.seq2seq.tile_batch, multiplier = "
    "beam_width, and to give zero_state batch_size * beam_width."
)


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """The state of an AttentionWrapper.

    With several mechanisms, `alignments`, `alignment_history` and `attention_state` are tuples.
    """

    def clone(self, **kwargs: Any) -> "AttentionWrapperState":
        """Returns a copy with fields replaced, such as state.clone(cell_state=encoder_state).

        Raises:
          ValueError: a tensor's shape is not compatible with that of the tensor that it replaces.
        """
        return tf.nest.map_structure(_check_shape, self, self._replace(**kwargs))


class AttentionWrapper(tf.nn.rnn_cell.RNNCell):
    """Wraps an RNN cell with one or several attention mechanisms.

    Args:
      cell: an RNNCell, called on `cell_input_fn(inputs, attention)` with the attention of the last step.
      attention_mechanism: an AttentionMechanism, or a list of them.
      attention_layer_size: the depth of a dense layer over the cell's output and the context; None: the attention is
        the context. A list for several mechanisms.
      alignment_history: whether the state has the alignments of all steps, in a TensorArray.
      cell_input_fn: concatenates by default.
      output_attention: whether the output is the attention instead of the cell's output.
      initial_cell_state: the cell's state in `zero_state`.
      attention_layer: a layer or a list of layers, instead of `attention_layer_size`.
      attention_fn: (mechanism, cell_output, attention_state, attention_layer) -> (attention, alignments, next state).

    Raises:
      TypeError: `attention_mechanism` or `cell_input_fn` has the wrong type.
      ValueError: both `attention_layer_size` and `attention_layer` are given, or not one for each mechanism.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Union[AttentionMechanism, Sequence[AttentionMechanism]],
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Optional[Callable[[Any, Any], Any]] = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: Optional[str] = None,
        attention_layer: Any = None,
        attention_fn: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        rnn.assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = _as_tuple(attention_mechanism)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or a list of them, saw type: {}".format(
                        type(mechanism).__name__
                    )
                )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError("cell_input_fn must be callable, saw type: {}".format(type(cell_input_fn).__name__))
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._attention_layers, self._attention_layer_size = _layers(
            cell, mechanisms, attention_layer_size, attention_layer
        )
        self._attention_fn = attention_fn or compute_attention
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._initial_cell_state = None
        with tf.name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is not None:
                last = tf.nest.flatten(initial_cell_state)[-1]
                self._initial_cell_state = self._check_batch_size(
                    initial_cell_state,
                    _batch_size(last),
                    "constructing",
                    "initial_cell_state",
                    "check_initial_cell_state",
                )

    @property
    def output_size(self) -> Any:
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        sizes = [mechanism.alignments_size for mechanism in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(sizes),
            attention_state=self._item_or_tuple([each.state_size for each in self._attention_mechanisms]),
            alignment_history=self._item_or_tuple(sizes if self._alignment_history else [()] * len(sizes)),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """Returns the state before the first step; the cell's state is `initial_cell_state` if that was given."""
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            cell_state = self._check_batch_size(
                cell_state, batch_size, "calling zero_state of", "requested batch size", "checked_cell_state"
            )
            alignments = [each.initial_alignments(batch_size, dtype) for each in self._attention_mechanisms]
            histories: List[Any] = [()] * len(alignments)
            if self._alignment_history:
                histories = [
                    tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=each.shape) for each in alignments
                ]
            zeros = keras_modules.cells_module()._zero_state_tensors
            states = [each.initial_state(batch_size, dtype) for each in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=tf.zeros([], dtype=tf.int32),
                attention=zeros(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(states),
                alignment_history=self._item_or_tuple(histories),
            )

    def call(self, inputs: Any, state: AttentionWrapperState) -> Tuple[Any, AttentionWrapperState]:
        """Runs the cell on `inputs` [batch, n], then each mechanism with the cell's output as its query."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type {} instead.".format(type(state))
            )
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._check_batch_size(
            output, _batch_size(output), "applying", "query (decoder output)", "checked_cell_output"
        )
        states = state.attention_state if self._is_multi else [state.attention_state]
        histories = state.alignment_history if self._is_multi else [state.alignment_history]
        results = [
            self._attention_fn(mechanism, output, before, layer)
            for mechanism, before, layer in zip(
                self._attention_mechanisms, states, self._attention_layers or [None] * len(states)
            )
        ]
        attention = tf.concat([each[0] for each in results], 1)
        alignments = [each[1] for each in results]
        if self._alignment_history:
            histories = [history.write(state.time, each) for history, each in zip(histories, alignments)]
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple([each[2] for each in results]),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(histories),
        )
        return attention if self._output_attention else output, next_state

    def _item_or_tuple(self, values: Sequence[Any]) -> Any:
        return tuple(values) if self._is_multi else values[0]

    def _check_batch_size(self, structure: Any, batch_size: Any, doing: str, other: str, name: str) -> Any:
        message = "When {} AttentionWrapper {}: Non-matching batch sizes between the memory and the {}.  {}".format(
            doing, self._base_name, other, _TILE_BATCH_HINT
        )
        checks = [
            tf.assert_equal(batch_size, mechanism.batch_size, message=message)
            for mechanism in self._attention_mechanisms
        ]
        with tf.control_dependencies(checks):
            return tf.nest.map_structure(lambda part: tf.identity(part, name=name), structure)


def compute_attention(mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any) -> Any:
    """Returns (attention, alignments, the mechanism's next state) for the query `cell_output` [batch, n]."""
    alignments, next_state = mechanism(cell_output, state=attention_state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), mechanism.values), [1])
    attention = context if attention_layer is None else attention_layer(tf.concat([cell_output, context], 1))
    return attention, alignments, next_state


def _layers(cell: Any, mechanisms: Sequence[Any], sizes: Any, layers: Any) -> Tuple[Optional[Tuple[Any, ...]], int]:
    if sizes is not None and layers is not None:
        raise ValueError("Only one of attention_layer_size and attention_layer should be set")
    name, sizes_or_layers = ("attention_layer_size", sizes) if sizes is not None else ("attention_layer", layers)
    depths = [tf.dimension_value(mechanism.values.shape[-1]) for mechanism in mechanisms]
    if sizes_or_layers is None:
        return None, sum(depths)
    sizes_or_layers = _as_tuple(sizes_or_layers)
    if len(sizes_or_layers) != len(mechanisms):
        raise ValueError(
            "If provided, {} must contain exactly one entry per attention_mechanism, saw: {} vs {}".format(
                name, len(sizes_or_layers), len(mechanisms)
            )
        )
    if sizes is not None:
        dense_layers = tuple(
            tf.layers.Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
            for size, mechanism in zip(sizes_or_layers, mechanisms)
        )
        return dense_layers, sum(sizes_or_layers)
    shapes = [
        layer.compute_output_shape([None, cell.output_size + depth]) for layer, depth in zip(sizes_or_layers, depths)
    ]
    return sizes_or_layers, sum(tf.dimension_value(tf.TensorShape(shape)[-1]) for shape in shapes)


def _as_tuple(value: Any) -> Tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _batch_size(x: Any) -> Any:
    return tf.dimension_value(x.shape[0]) or tf.shape(x)[0]


def _check_shape(old: Any, new: Any) -> Any:
    if not (tf.is_tensor(old) and tf.is_tensor(new)):
        return new
    if not old.shape.is_compatible_with(new.shape):
        raise ValueError(
            "AttentionWrapperState.clone: the shape of {} is not compatible with that of {}".format(new, old)
        )
    if old.shape.is_fully_defined() and new.shape.is_fully_defined():
        return new
    with tf.control_dependencies([tf.assert_equal(tf.shape(old), tf.shape(new))]):
        checked = tf.identity(new)
    checked.set_shape(old.shape)
    return checked
