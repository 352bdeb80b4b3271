"""The interface of reductions, and the values that pass between them.

    the towers' gradients  ->  [check_numerics, clip, mean, accumulate, ...]  ->  one gradient per variable
"""
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers.cluster.messages import FusedVector
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import (
    DeviceString,
    Gradient,
    GradientPairs,
    Operation,
    SessionRunHook,
    Tensor,
    Variable,
)
from legacy_towers.text.documented_fields import documented_fields


@documented_fields
class ReductionContext(NamedTuple):
    """What a reduction may need to know of the step that it is part of.

    Attributes:
      devices: one device string per tower that trains.
      towers: the index of each of these towers, for messages.
      tower_weights: the weight of each tower in a mean, numbers or float64 scalar tensors that sum to 1; None: all
        equal.
      global_step: the global step variable; None outside a step.
      scope: the name scope of the reduction's own variables, without a trailing slash, such as "reduction/generator".
      has_copies: whether each tower has its own copy of the variables, so that the result is needed on every tower's
        device.
      local_updates: whether this is one of several towers of one step that each apply their own gradients.
      first_state: with `local_updates`, what `init` returned for the first of these towers; None for the first one
        itself, and elsewhere. A checkpoint contains the first tower's state only, whatever the number of towers, and
        the other towers start from it.
      workers: the workers of a cluster: the towers are those of one of them, and the result is that of all workers'
        towers. None for one process.
      fused: what the workers sum in the message of these gradients, such as the loss; None for nothing.
    """

    devices: List[DeviceString]
    towers: List[int]
    tower_weights: Optional[List[Any]] = None
    global_step: Optional[Variable] = None
    scope: str = "reduction"
    has_copies: bool = False
    local_updates: bool = False
    first_state: Optional[Any] = None
    workers: Optional[Workers] = None
    fused: Optional[FusedVector] = None

    @property
    def weights_vary(self) -> bool:
        """Whether the towers' weights are tensors, which can have other values in each step."""
        return self.tower_weights is not None and any(map(tf.is_tensor, self.tower_weights))


@documented_fields
class GradientRow(NamedTuple):
    """The gradients of one variable, or of one bucket of variables.

    Attributes:
      name: the name of the variable's operation, or of the bucket.
      variable: the variable (tower 0's, where towers have copies); None for a bucket.
      gradients: tensors, IndexedSlices or None, all of the variable's dtype. Before the reduction: one per tower. After
        it: one, or, where every tower has its own result, one per tower, all equal.
      device: where the result is needed: the variable's device.
      reduced_by: how the towers' gradients were reduced, such as "add_n" or "tree"; "" before that.
      reduced_on: the device of the sum; None before it, or where no single device has it.
      bucket: the number of the bucket that the gradient was reduced in; None for none.
      regularization: the dense gradient of the regularization losses, which belongs to every tower's gradient and is
        the same in all towers; None for none. It is added once, when the gradients are reduced. `Reduction.update`
        never sees it, unless `ReductionTraits.passes_regularization`.
    """

    name: str
    variable: Optional[Variable]
    gradients: List[Gradient]  # or None, where `missing` has not replaced it
    device: DeviceString = ""
    reduced_by: str = ""
    reduced_on: Optional[DeviceString] = None
    bucket: Optional[int] = None
    regularization: Optional[Tensor] = None


@documented_fields
class TowerGradients(NamedTuple):
    """The gradients of all variables, between two members of a chain.

    Attributes:
      rows: one per variable, in the optimizer's order.
      context: the step that they belong to.
      reduced: whether the towers' gradients have been reduced to one.
      apply_if: bool scalar tensor: whether the result is applied in this step; None: in every step.
      unconditional_ops: operations that run in every step, whether or not the result is applied.
      delayed_by: the reduction that mixed gradients of earlier steps in, such as "accumulate(4)"; "" for none.
    """

    rows: List[GradientRow]
    context: ReductionContext
    reduced: bool = False
    apply_if: Optional[Tensor] = None
    unconditional_ops: Tuple[Operation, ...] = ()
    delayed_by: str = ""


@documented_fields
class ReductionTraits(NamedTuple):
    """What other parts of a step need to know of a reduction before it runs.

    Attributes:
      kind: what happens to the numbers. "change": they change, as by clipping; "form": they stay the same, in
        another form or only read; "sum": the towers' gradients are reduced to one by a plain sum per variable;
        "layout": they are reduced by an algorithm of its own, such as a tree, a ring or buckets. A chain is
        "change": ask its members (`legacy_towers.gradients.chain.members_of`).
      transfer_dtype: the name of the smaller dtype that gradients have between devices, such as "float16"; None: their
        own dtype.
      scales_loss: whether the gradients are to be computed of `Reduction.scale_loss(loss)`.
      sums: whether the result is the sum of the towers' gradients, not their mean.
      linear: whether gradients twice as large give a result twice as large. Clipping is not linear: it needs gradients
        of the true size, so `chain` refuses it before a reduction that scales the loss.
      needs_regularization: whether each tower's gradient must include that of the regularization losses when `update`
        is called. A mean or a sum does not need it: the gradient of the regularization is the same in all towers, and
        is added once to the result.
      passes_regularization: whether `update` handles `GradientRow.regularization` itself, as a chain does for its
        members.
    """

    kind: str = "change"
    transfer_dtype: Optional[str] = None
    scales_loss: bool = False
    sums: bool = False
    linear: bool = True
    needs_regularization: bool = True
    passes_regularization: bool = False


class Reduction:
    """Base class of reductions: a value that describes what is done with gradients.

    State between steps (the variables that `init` creates) belongs to one graph, not to this object. A subclass defines
    `update`, `init` if it needs variables, and `traits` if the defaults are not true of it. A plain function that takes
    `TowerGradients` and returns `TowerGradients` is accepted wherever a reduction is.

    Attributes:
      traits: what other parts of a step need to know of it: `ReductionTraits`.
    """

    traits = ReductionTraits()

    def init(self, context: ReductionContext, variables: Sequence[Variable]) -> Any:
        """Creates the reduction's own variables in the default graph and returns them; None if it has none.

        Called once per graph, before the towers' gradients are computed.

        Args:
          context: the step that the gradients belong to.
          variables: the variables that `update` will get gradients for.

        Returns:
          The state, of any type: it is passed to `scale_loss` and `update`.
        """
        return None

    def scale_loss(self, loss: Tensor, state: Any) -> Tensor:
        """Returns the scalar whose gradients a tower computes in place of its loss; by default the loss itself.

        A reduction that returns another scalar sets `traits.scales_loss`.
        """
        return loss

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns the changed or reduced gradients.

        Args:
          gradients: the towers' gradients, or, after a reduction to one, the result.
          state: what `init` returned.
        """
        raise NotImplementedError

    def roundings(self, towers: int) -> float:
        """Returns how often at most a number is rounded if it has a smaller dtype between devices.

        It is the k in the error bound of `lt.gradients.compressed`.

        Args:
          towers: the number of towers, which may have weights.
        """
        return 3.0

    def hooks(self, context: ReductionContext) -> List[SessionRunHook]:
        """Returns the `tf.train.SessionRunHook`s that the step must run with, such as a check of the session.

        Args:
          context: the step that the gradients belong to.
        """
        return []


ReductionLike = Union[Reduction, Callable[[TowerGradients], TowerGradients]]


class _Function(Reduction):
    """Adapts a plain function to the interface of reductions."""

    def __init__(self, function: Callable[[TowerGradients], TowerGradients]) -> None:
        self._function = function

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        result = self._function(gradients)
        if not isinstance(result, TowerGradients):
            raise ArgumentError(
                "the reduction {!r} must return TowerGradients, got {}".format(
                    self, type(result).__name__
                )
            )
        return result

    def __repr__(self) -> str:
        return str(getattr(self._function, "__name__", repr(self._function)))


def as_reduction(reduction: ReductionLike) -> Reduction:
    """Returns a `Reduction` unchanged, and wraps a plain function in one.

    Raises:
      ArgumentError: `reduction` is neither of these.
    """
    if isinstance(reduction, Reduction):
        return reduction
    if isinstance(reduction, type) or not callable(reduction):
        raise ArgumentError(
            "a reduction is needed, got {!r}: pass lt.gradients.mean(), or lt.gradients.chain(...) of several, for "
            "example".format(reduction)
        )
    name = getattr(reduction, "__name__", "")
    if str(getattr(reduction, "__module__", "")).startswith(__name__.rpartition(".")[0] + "."):
        raise ArgumentError(
            "lt.gradients.{0} is a function that returns a reduction: write lt.gradients.{0}()".format(name)
        )
    return _Function(reduction)


def pairs_of(gradients: TowerGradients) -> GradientPairs:
    """Returns (gradient, variable) pairs of reduced gradients, as `optimizer.apply_gradients` takes them."""
    return [(row.gradients[0], row.variable) for row in gradients.rows]


def is_dense(row: GradientRow) -> bool:
    """Returns whether every tower has a gradient, and all are tensors."""
    return all(isinstance(gradient, tf.Tensor) for gradient in row.gradients)


def static_shape(row: GradientRow) -> tf.TensorShape:
    """Returns the `tf.TensorShape` of the towers' dense gradients, merged from theirs and the variable's."""
    shape = tf.TensorShape(None) if row.variable is None else row.variable.shape
    for gradient in row.gradients:
        shape = shape.merge_with(gradient.shape)
    return shape
