"""Tensors that towers pass to each other while they compute, such as the moments of their batches.

Plain dataflow, no collectives. Towers are built one after the other, so tower 0 needs tensors that don't exist yet. It
gets a stand-in; once all towers are built, the operation that reads the stand-in gets the real tensor as its input:

    forward    tower k:  x_k  ->  stack [x_0, x_1, ...]  the same in each tower, stacked once
    backward   tower k:  sum over towers j of (row k of the gradient of tower j's stack)  ->  gradient of x_k

Both cost the same per tower, whatever the number of towers.

The step averages the towers' gradients with weights w. That mean is to be the gradient of the loss of all towers,
L = sum(w_j * L_j). So tower k's gradient must be the gradient of L along the paths that start in tower k, divided by
w_k, and the gradient of x_k is sum(w_j * row k of tower j) / w_k; without weights, the plain sum.
"""
import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Graph, Operation, Tensor
from legacy_towers.towers.cross_tower_tensor import LAYER, CrossTowerTensor
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.true_examples import TrueExamples
from legacy_towers.variables import Strategy

# Collections of the graph that is being built; both are empty again once the step is built.
_UNCONNECTED = "legacy_towers/unconnected_towers"
_CURRENT = "legacy_towers/current_tower"


class TowerContext(NamedTuple):
    """The tower whose model function runs.

    Attributes:
      cross_tower: passes tensors between this tower and the others.
      index: the tower's index among all towers, as messages name it.
      position: its position among the towers that train; None if it does not train.
      mode: what the model function was called with.
      examples: its batch, and which of its rows are true examples.
      moving_statistics: name of a moving statistic -> its new value, and the operation that writes it.
    """

    cross_tower: "CrossTowerTensors"
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    position: Optional[int]
    mode: str
    examples: TrueExamples
    moving_statistics: Dict[str, Tuple[Tensor, Operation]]


def current_tower() -> Optional[TowerContext]:
    """Returns the tower whose model function runs; None outside of one, or where towers are not connected."""
    towers: List[TowerContext] = tf.get_collection(_CURRENT)
    return towers[-1] if towers else None


class CrossTowerTensors:
    """All tensors that the towers of one step pass to each other.

        cross_tower = CrossTowerTensors([lt.TRAIN] * 4)
        towers = replicate(cross_tower.wrap(model_fn), batches, devices)
        ...                                              # checks that follow the graph back from one tower's loss
        with cross_tower.gradients(tower_weights):       # for each objective; with the weights of the mean over towers
            gradients = tower_gradients(towers, ...)     # of the same losses in every tower
        with cross_tower.gradients():                    # of a loss of all towers at once, such as the regularization
            ...
        cross_tower.connect()                            # at the end, before a session runs the graph

    This is an object that changes, not data passed along, for three reasons. Layers add to it inside the user's model
    function, whose arguments are (batch, mode). TensorFlow's gradient functions add to it inside
    `optimizer.compute_gradients`, and have no arguments of ours either. And the towers can be connected only at the
    end: until then no tower's graph reaches into another's, so that checks for shared batches and for regularization
    see each tower alone, and `tf.gradients` does not walk through all towers for each of them. A wrong order is an
    error: gradients computed outside of `gradients()` make `connect` fail, gradients after `connect` fail at once, and
    a session that runs unconnected towers fails with a clear error. In a step whose layers pass no tensors, all of this
    adds nothing to the graph.
    """

    def __init__(
        self,
        modes: Sequence[str],
        counts: Optional[Sequence[Tensor]] = None,
        padded: bool = False,
        strategy: Optional[Strategy] = None,
    ) -> None:
        """
        Args:
          modes: per tower, the mode that its model function is called with: lt.TRAIN, lt.EVAL or lt.PREDICT.
          counts: int32 scalar tensor per tower: how many rows of its batch are true examples; None: all are.
          padded: whether the other rows are copies of true ones.
          strategy: where variables live; None: the towers share them.
        """
        self._modes = list(modes)
        self._counts = counts
        self._padded = padded
        self._strategy = strategy
        self._training = [index for index, mode in enumerate(self._modes) if mode == TRAIN]
        self._built = 0  # towers
        self._used = 0  # tensors that the current tower has added to
        self._tensors: List[CrossTowerTensor] = []
        self._of_stack: Dict[Operation, Tuple[CrossTowerTensor, int]] = {}  # (tensor, position of the tower)
        self._graph: Graph = None

    @property
    def towers(self) -> int:
        """The number of towers that train: only these pass tensors."""
        return len(self._training)

    @property
    def layers(self) -> List[str]:
        """The names of the layers that pass tensors, before they are connected."""
        return sorted({str(tensor.name) for tensor in self._tensors})

    def wrap(self, model_fn: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
        """Returns a model function whose layers can pass tensors between towers; called once per tower, in order."""

        @functools.wraps(model_fn)
        def connected(batch: Any, mode: str) -> Any:
            with self._next_tower(batch, mode):
                return model_fn(batch, mode)

        return connected

    @contextlib.contextmanager
    def gradients(self, tower_weights: Optional[Sequence[Tensor]] = None, sums: bool = False) -> Iterator[None]:
        """Returns a context manager for computing gradients; at its end each tower's take in the other towers'.

        Args:
          tower_weights: of the towers that train, in the mean of the gradients; None: all weigh the same.
          sums: whether the gradients will be summed, not averaged: then all towers weigh the same, except those of
            weight 0.

        Raises:
          TowerError: only some towers' gradients go through a layer that passes tensors.
        """
        yield
        if tower_weights is not None and sums:
            tower_weights = [_one_unless_zero(tower_weight) for tower_weight in tower_weights]
        for tensor in self._tensors:
            tensor.connect_gradients(tower_weights)

    def connect(self) -> None:
        """Gives each tower what the others computed; no gradients can be computed through it afterwards.

        Raises:
          TowerError: gradients were computed outside of `gradients()`.
        """
        for tensor in self._tensors:
            tensor.connect()
        self._tensors, self._of_stack = [], {}
        if self._graph is not None:
            unconnected = self._graph.get_collection_ref(_UNCONNECTED)
            unconnected[:] = [each for each in unconnected if each is not self]

    def stack_over_towers(self, tensor: Tensor, name: str) -> Tensor:
        """Returns all towers' tensors, stacked; for layers, called in each tower that trains.

        Returns:
          A tensor of shape [towers] + the shape of `tensor`.
        """
        position = self._position()
        shared = self._add(name, "stack", tensor, position)
        with tf.control_dependencies([self._unconnected_error(name)]):
            stand_in = tf.zeros([self.towers] + tensor.shape.as_list(), tensor.dtype)
        # The second input makes the gradient flow back to this tower's tensor.
        with tf.get_default_graph().gradient_override_map({"IdentityN": _GRADIENT}):
            stack, _ = tf.identity_n([stand_in, tensor])
        shared.readers.append(stack.op)
        self._of_stack[stack.op] = (shared, position)
        return stack

    def of_first_tower(self, tensor: Tensor, name: str) -> Tensor:
        """Returns the first training tower's tensor, in each tower; it has no gradient."""
        shared = self._add(name, "first", tensor, self._position())
        taken = tf.identity(tf.stop_gradient(tensor))
        shared.readers.append(taken.op)
        return taken

    @contextlib.contextmanager
    def _next_tower(self, batch: Any, mode: str) -> Iterator[None]:
        index = self._built
        if index >= len(self._modes) or self._modes[index] != mode:
            raise ArgumentError(
                "tower {} is built for mode {!r}, but CrossTowerTensors was created for towers of the modes {}".format(
                    index, mode, self._modes
                )
            )
        self._built += 1
        self._used = 0
        count = None if self._counts is None else self._counts[index]
        position = self._training.index(index) if mode == TRAIN else None
        tower = TowerContext(self, index, position, mode, TrueExamples(batch, count, self._padded), {})
        if self._graph is None:
            self._graph = tf.get_default_graph()
        current = self._graph.get_collection_ref(_CURRENT)
        current.append(tower)
        try:
            yield
        finally:
            current.pop()
        if position is not None and self._used < len(self._tensors):
            raise TowerError(
                "tower {} does not use {} {!r}, which tower {} uses: the towers that train must use the same ones, in "
                "the same order".format(index, LAYER, self._tensors[self._used].name, self._training[0])
            )

    def _position(self) -> int:
        tower = current_tower()
        assert tower is not None and tower.cross_tower is self and tower.position is not None
        return tower.position

    def _add(self, name: str, kind: str, tensor: Tensor, position: int) -> CrossTowerTensor:
        if self._strategy is not None and self._strategy.updates != "reduced":
            raise ArgumentError(
                "{} {!r} needs towers that take each step together, but with variables={!r} each updates its variables "
                "on its own: use tf.layers.batch_normalization there, or share variables, for example by "
                "lt.variables.ParameterServer()".format(LAYER, name, self._strategy)
            )
        if tf.get_default_graph() is not self._graph or is_in_control_flow(tensor.op):
            raise TowerError(
                "{} {!r} is inside a tf.cond, a tf.while_loop or a function: towers can pass tensors only once per "
                "step, in every step. Move it out".format(LAYER, name)
            )
        if not position:
            number = len([each for each in self._tensors if each.kind == kind])
            self._tensors.append(CrossTowerTensor(name, kind, self._training, number))
            if self not in self._graph.get_collection(_UNCONNECTED):
                self._graph.add_to_collection(_UNCONNECTED, self)
        shared = self._next_tensor(name, kind, self._training[position])
        shared.add_input(tensor)
        return shared

    def _next_tensor(self, name: str, kind: str, tower: int) -> CrossTowerTensor:
        expected = self._tensors[self._used] if self._used < len(self._tensors) else None
        self._used += 1
        if expected is None:
            raise TowerError(
                "tower {} uses {} {!r}, which tower {} does not use: the towers that train must use the same ones, in "
                "the same order".format(tower, LAYER, name, self._training[0])
            )
        if (expected.name, expected.kind) != (name, kind):
            raise TowerError(
                "tower {} uses {} {!r} where tower {} uses {!r}: the towers that train must use the same ones, in the "
                "same order".format(tower, LAYER, name, self._training[0], expected.name)
            )
        return expected

    def _gradient_of_input(self, operation: Operation, of_stack: Tensor) -> Tensor:
        """Returns the gradient of the tensor that a tower passed in; its value comes at the end of `gradients()`."""
        shared, position = self._of_stack[operation]
        if current_tower() is not None:
            raise TowerError(
                "the model function of tower {} takes gradients through {} {!r}: the other towers' are not known "
                "before the whole step is built. Use tf.layers.batch_normalization there".format(
                    self._training[position], LAYER, shared.name
                )
            )
        of_stack = tf.convert_to_tensor(of_stack)
        with tf.control_dependencies([self._unconnected_error(shared.name)]):
            stand_in = tf.zeros_like(shared.inputs[position])
        # The second input makes a derivative of this gradient reach `_gradient_of_gradient`, which refuses it.
        with tf.get_default_graph().gradient_override_map({"IdentityN": _SECOND_GRADIENT}):
            gradient, _ = tf.identity_n([stand_in, of_stack])
        shared.add_gradient(position, of_stack, gradient.op)
        return gradient

    def _unconnected_error(self, name: str) -> Operation:
        """Returns an operation that fails: a stand-in depends on it, until the stand-in is replaced."""
        with tf.device("/cpu:0"):
            text = "{} {!r}: the towers were not connected; see CrossTowerTensors.connect".format(LAYER, name)
            return tf.Assert(tf.constant(False), [text])


def _one_unless_zero(tower_weight: Tensor) -> Tensor:
    return tf.cast(tf.greater(tower_weight, 0), tf.float64) if tf.is_tensor(tower_weight) else float(tower_weight > 0)


_GRADIENT = "LegacyTowersStackOverTowers"
_SECOND_GRADIENT = "LegacyTowersGradientOverTowers"


@tf.RegisterGradient(_GRADIENT)
def _gradient_of_stack(operation: Operation, of_stack: Tensor, _: Any) -> List[Optional[Tensor]]:
    for cross_tower in operation.graph.get_collection(_UNCONNECTED):
        if operation in cross_tower._of_stack:
            return [None, cross_tower._gradient_of_input(operation, of_stack)]
    raise TowerError(
        "{!r} is part of {}, whose towers are connected already: its gradients are computed while the step is built, "
        "and no others can be".format(operation.name, LAYER)
    )


@tf.RegisterGradient(_SECOND_GRADIENT)
def _gradient_of_gradient(operation: Operation, *_: Any) -> None:
    raise TowerError("{!r} is a gradient through {}: it has no derivative of its own".format(operation.name, LAYER))
