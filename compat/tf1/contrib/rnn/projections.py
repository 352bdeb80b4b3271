"""Wrappers of tf.contrib.rnn that embed or project a cell's inputs, or project its outputs."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat.tf1.contrib.rnn.parts import CellWrapper, check_cell
from legacy_towers.compat.tf1.core.linear import Linear
from legacy_towers.compat.versions import tf


class EmbeddingWrapper(CellWrapper):
    """Wrapper that looks up the cell's inputs, ids, in the variable "embedding", which is on the CPU.

    Args:
      embedding_classes: the number of ids.
      embedding_size: the depth of the embedding.
      initializer: of the embedding; by default the scope's, or uniform with variance 1.

    Raises:
      ValueError: `embedding_classes` or `embedding_size` is not positive.
    """

    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(_reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: {}, {}.".format(
                    embedding_classes, embedding_size
                )
            )
        self._cell = check_cell(cell)
        self._embedding_shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell on the embeddings of `inputs`, integers with `batch` elements."""
        # The uniform distribution over [-sqrt(3), sqrt(3)] has variance 1.
        default = tf.random_uniform_initializer(-(3.0 ** 0.5), 3.0 ** 0.5)
        with tf.device("/cpu:0"):
            embedding = tf.get_variable(
                "embedding",
                self._embedding_shape,
                initializer=self._initializer or tf.get_variable_scope().initializer or default,
                dtype=(state[0] if isinstance(state, tuple) else state).dtype,
            )
            return self._cell(tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1])), state)


class InputProjectionWrapper(CellWrapper):
    """Wrapper that projects the cell's inputs to depth `num_proj`."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Optional[Callable[[Any], Any]] = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf.logging.warn("%s: The input_size parameter is deprecated.", self)
        self._cell = check_cell(cell)
        self._num_proj = num_proj
        self._activation = activation
        self._linear: Optional[Linear] = None

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell on the projection of `inputs` [batch, n]."""
        if self._linear is None:
            self._linear = Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellWrapper):
    """Wrapper that projects the cell's outputs, not its state, to depth `output_size`."""

    def __init__(
        self, cell: Any, output_size: int, activation: Optional[Callable[[Any], Any]] = None, reuse: Any = None
    ) -> None:
        super().__init__(_reuse=reuse)
        if output_size < 1:
            raise ValueError("Parameter output_size must be > 0: {}.".format(output_size))
        self._cell = check_cell(cell)
        self._output_size = output_size
        self._activation = activation
        self._linear: Optional[Linear] = None

    @property
    def output_size(self) -> Any:
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell and returns the projection of its output."""
        output, new_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = Linear(output, self._output_size, True)
        projected = self._linear(output)
        return self._activation(projected) if self._activation else projected, new_state
