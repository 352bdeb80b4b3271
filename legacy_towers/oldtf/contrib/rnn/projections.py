"""Wrappers of tf.contrib.rnn that look up or project what goes into a cell or comes out of it."""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn.linear import Linear
from legacy_towers.oldtf.contrib.rnn.parts import CellAround, checked


class EmbeddingWrapper(CellAround):
    """A cell whose input is ids: a row of the variable "embedding" for each, kept on the CPU."""

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
        self._cell = checked(cell)
        self._embedding_shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell on the rows of `inputs`, integers of any shape with batch elements."""
        # Uniform numbers within the square root of 3 have variance 1.
        default = tf.random_uniform_initializer(-(3.0 ** 0.5), 3.0 ** 0.5)
        with tf.device("/cpu:0"):
            embedding = tf.get_variable(
                "embedding",
                self._embedding_shape,
                initializer=self._initializer or tf.get_variable_scope().initializer or default,
                dtype=(state[0] if isinstance(state, tuple) else state).dtype,
            )
            return self._cell(tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1])), state)


class InputProjectionWrapper(CellAround):
    """A cell whose input is mapped to `num_proj` columns first."""

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
        self._cell = checked(cell)
        self._num_proj = num_proj
        self._activation = activation
        self._linear: Optional[Linear] = None

    def call(self, inputs: Any, state: Any) -> Tuple[Any, Any]:
        """Runs the cell on the projection of `inputs` [batch, n]."""
        if self._linear is None:
            self._linear = Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(CellAround):
    """A cell whose output is mapped to `output_size` columns; its state is not."""

    def __init__(
        self, cell: Any, output_size: int, activation: Optional[Callable[[Any], Any]] = None, reuse: Any = None
    ) -> None:
        super().__init__(_reuse=reuse)
        if output_size < 1:
            raise ValueError("Parameter output_size must be > 0: {}.".format(output_size))
        self._cell = checked(cell)
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
