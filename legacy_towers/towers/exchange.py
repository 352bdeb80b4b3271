"""What towers tell each other while they compute, such as the moments of their batches: plain dataflow, no collectives.

Towers are built one after the other, so tower 0 needs tensors that don't exist yet. It gets a stand-in, and once all
towers are there the operation that reads the stand-in is given the real thing:

    forward    tower k:  x_k  ->  stack [x_0, x_1, ...]  the same in each tower, stacked once
    backward   tower k:  sum over towers j of (what tower j's gradient says of row k of its stack)  ->  x_k

Both cost the same per tower, however many there are.

What tower k computes as its gradient is that of all towers' loss L = sum(w_j * L_j) along the paths that start in tower
k, divided by w_k: so the mean over towers with the weights w, which the step takes, is the gradient of L. What comes
back to x_k is therefore sum(w_j * of tower j) / w_k; without weights, the plain sum.
"""
import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.graph import is_in_control_flow
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.towers.crossing import LAYER, Crossing
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.true_examples import TrueExamples
from legacy_towers.variables import Strategy

# Collections of the graph that is being built; both are empty again once the step is built.
_UNBOUND = "legacy_towers/unbound_exchanges"
_IN_MAKING = "legacy_towers/towers_in_making"


class TowerInMaking(NamedTuple):
    """The tower whose model function runs.

    Attributes:
      exchange: what connects it with the others.
      index: the tower's index among all towers, as messages name it.
      position: its position among the towers that train; None if it is none of them.
      mode: what the model function was called with.
      examples: its batch, and which of its rows are true examples.
      moved: name of a moving statistic -> its new value and the operation that writes it.
    """

    exchange: "TowerExchange"
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    position: Optional[int]
    mode: str
    examples: TrueExamples
    moved: Dict[str, Any]


def tower_in_making() -> Optional[TowerInMaking]:
    """Returns the tower whose model function runs, None outside of any, or where none is told of the others."""
    towers: List[TowerInMaking] = tf.get_collection(_IN_MAKING)
    return towers[-1] if towers else None


class TowerExchange:
    """Connects the towers of one step.

        exchange = TowerExchange([lt.TRAIN] * 4)
        towers = replicate(exchange.around(model_fn), batches, devices)
        ...                                          # checks that follow the graph back from one tower's loss
        gradients = tower_gradients(towers, ...)     # the same losses in every tower; per part, if there are several
        exchange.bind_backward(shares)               # after each such round, with the weights of the mean over towers
        ...
        exchange.bind_forward()                      # at the end, before any session runs the graph

    Bind last: until then no tower's graph reaches into another's, so that checks for shared batches and for
    regularization see each tower alone, and `tf.gradients` does not walk through all towers for each of them. Without
    a layer that exchanges anything all of this does nothing.

    A gradient that is computed of all towers' losses at once, such as that of the regularization, is a round of its
    own: `bind_backward()` without weights.
    """

    def __init__(
        self,
        modes: Sequence[str],
        counts: Optional[Sequence[Any]] = None,
        padded: bool = False,
        strategy: Optional[Strategy] = None,
    ) -> None:
        """
        Args:
          modes: per tower, what its model function will be called with: lt.TRAIN, lt.EVAL or lt.PREDICT.
          counts: per tower, a scalar tensor: how many rows of its batch are true examples; None: all are.
          padded: whether the other rows are copies of true ones.
          strategy: where variables live; None: the towers share them.
        """
        self._modes = list(modes)
        self._counts = counts
        self._padded = padded
        self._strategy = strategy
        self._training = [index for index, mode in enumerate(self._modes) if mode == TRAIN]
        self._built = 0
        self._used = 0  # how many crossings the tower in making has used so far
        self._crossings: List[Crossing] = []
        self._crossing_of: Dict[Any, Any] = {}  # operation -> (crossing, position)
        self._graph: Any = None

    @property
    def towers(self) -> int:
        """How many towers train, and so exchange."""
        return len(self._training)

    def around(self, model_fn: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
        """Returns a model function like `model_fn` whose layers can exchange; called once per tower, in order."""

        @functools.wraps(model_fn)
        def connected(batch: Any, mode: str) -> Any:
            with self._next_tower(batch, mode):
                return model_fn(batch, mode)

        return connected

    def bind_backward(self, shares: Optional[Sequence[Any]] = None, sums: bool = False) -> None:
        """Completes the towers' gradients that were computed since the last call.

        Args:
          shares: what each tower that trains counts in the mean of the gradients, as `tower_shares` gives it; None: all
            the same.
          sums: whether the gradients will be summed, not averaged: then all towers count the same but those of share 0.

        Raises:
          TowerError: the gradients of some towers only went through a layer that exchanges.
        """
        weights = None if shares is None else [_as_one(share) for share in shares] if sums else shares
        for crossing in self._crossings:
            crossing.bind_backward(weights)

    def bind_forward(self) -> None:
        """Gives each tower what the others computed; nothing can be differentiated through it afterwards.

        Raises:
          TowerError: gradients were computed, but `bind_backward` was not called since.
        """
        for crossing in self._crossings:
            crossing.bind_forward()
        self._crossings, self._crossing_of = [], {}
        if self._graph is not None:
            unbound = self._graph.get_collection_ref(_UNBOUND)
            unbound[:] = [each for each in unbound if each is not self]

    def stack_over_towers(self, tensor: Any, name: str) -> Any:
        """Returns all towers' tensors, stacked; for layers, called in each tower that trains.

        Args:
          tensor: of a shape that is known and the same in all towers.
          name: what messages call this place.

        Returns:
          A tensor of shape [towers] + the shape of `tensor`.
        """
        position = self._position()
        crossing = self._cross(name, "stack", tensor, position)
        with tf.control_dependencies([self._unbound_error(name)]):
            stand_in = tf.zeros([self.towers] + tensor.shape.as_list(), tensor.dtype)
        # The second input is what ties the gradient to this tower's tensor.
        with tf.get_default_graph().gradient_override_map({"IdentityN": _GRADIENT}):
            stack, _ = tf.identity_n([stand_in, tensor])
        crossing.readers.append(stack.op)
        self._crossing_of[stack.op] = (crossing, position)
        return stack

    def of_first_tower(self, tensor: Any, name: str) -> Any:
        """Returns the first training tower's tensor, in each; nothing flows back through it."""
        crossing = self._cross(name, "first", tensor, self._position())
        taken = tf.identity(tf.stop_gradient(tensor))
        crossing.readers.append(taken.op)
        return taken

    @contextlib.contextmanager
    def _next_tower(self, batch: Any, mode: str) -> Iterator[None]:
        index = self._built
        if index >= len(self._modes) or self._modes[index] != mode:
            raise ArgumentError(
                "tower {} is built for mode {!r}, but the exchange was made for towers of the modes {}".format(
                    index, mode, self._modes
                )
            )
        self._built += 1
        self._used = 0
        count = None if self._counts is None else self._counts[index]
        position = self._training.index(index) if mode == TRAIN else None
        tower = TowerInMaking(self, index, position, mode, TrueExamples(batch, count, self._padded), {})
        if self._graph is None:
            self._graph = tf.get_default_graph()
        in_making = self._graph.get_collection_ref(_IN_MAKING)
        in_making.append(tower)
        try:
            yield
        finally:
            in_making.pop()
        if position is not None and self._used < len(self._crossings):
            raise TowerError(
                "tower {} does not use {} {!r}, which tower {} uses: the towers that train must use the same ones, in "
                "the same order".format(index, LAYER, self._crossings[self._used].name, self._training[0])
            )

    def _position(self) -> int:
        tower = tower_in_making()
        assert tower is not None and tower.exchange is self and tower.position is not None
        return tower.position

    def _cross(self, name: str, kind: str, tensor: Any, position: int) -> Crossing:
        if self._strategy is not None and self._strategy.updates != "reduced":
            raise ArgumentError(
                "{} {!r} needs towers that take each step together, but with variables={!r} each updates its variables "
                "on its own: use tf.layers.batch_normalization there, or share variables, for example by "
                "lt.variables.ParameterServer()".format(LAYER, name, self._strategy)
            )
        if tf.get_default_graph() is not self._graph or is_in_control_flow(tensor.op):
            raise TowerError(
                "{} {!r} stands inside a tf.cond, a tf.while_loop or a function: towers can only exchange in every "
                "step, once per call. Move it out".format(LAYER, name)
            )
        if not position:
            # They take turns in whose device they stack and sum on.
            turn = len([each for each in self._crossings if each.kind == kind])
            self._crossings.append(Crossing(name, kind, self._training, turn))
            if self not in self._graph.get_collection(_UNBOUND):
                self._graph.add_to_collection(_UNBOUND, self)
        crossing = self._next_crossing(name, kind, self._training[position])
        crossing.give(tensor)
        return crossing

    def _next_crossing(self, name: str, kind: str, tower: int) -> Crossing:
        expected = self._crossings[self._used] if self._used < len(self._crossings) else None
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

    def _send_back(self, operation: Any, of_stack: Any) -> Any:
        """Returns the gradient of the tensor that a tower gave; what it is made of comes with `bind_backward`."""
        crossing, position = self._crossing_of[operation]
        if tower_in_making() is not None:
            raise TowerError(
                "the model function of tower {} takes gradients through {} {!r}: the other towers' are not known "
                "before the whole step is built. Use tf.layers.batch_normalization there".format(
                    self._training[position], LAYER, crossing.name
                )
            )
        of_stack = tf.convert_to_tensor(of_stack)
        with tf.control_dependencies([self._unbound_error(crossing.name)]):
            stand_in = tf.zeros_like(crossing.given[position])
        # The second input is what lets a derivative of this gradient be noticed, and refused.
        with tf.get_default_graph().gradient_override_map({"IdentityN": _SECOND_GRADIENT}):
            gradient, _ = tf.identity_n([stand_in, of_stack])
        crossing.send_back(position, of_stack, gradient.op)
        return gradient

    def _unbound_error(self, name: str) -> Any:
        """Returns an operation that fails: it stands before a stand-in, until that is replaced."""
        with tf.device("/cpu:0"):
            text = "{} {!r}: the towers were not connected; see TowerExchange.bind_forward".format(LAYER, name)
            return tf.Assert(tf.constant(False), [text])


def _as_one(share: Any) -> Any:
    return tf.cast(tf.greater(share, 0), tf.float64) if tf.is_tensor(share) else float(share > 0)


_GRADIENT = "LegacyTowersStackOverTowers"
_SECOND_GRADIENT = "LegacyTowersGradientOverTowers"


@tf.RegisterGradient(_GRADIENT)
def _gradient_of_stack(operation: Any, of_stack: Any, _: Any) -> List[Any]:
    for exchange in operation.graph.get_collection(_UNBOUND):
        if operation in exchange._crossing_of:
            return [None, exchange._send_back(operation, of_stack)]
    raise TowerError(
        "{!r} is part of {}, whose towers are connected already: its gradients are computed while the step is built, "
        "and no others can be".format(operation.name, LAYER)
    )


@tf.RegisterGradient(_SECOND_GRADIENT)
def _gradient_of_gradient(operation: Any, *_: Any) -> None:
    raise TowerError("{!r} is a gradient through {}: it has no derivative of its own".format(operation.name, LAYER))
