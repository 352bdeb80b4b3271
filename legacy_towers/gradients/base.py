"""What a reduction is: it takes the towers' gradients and gives gradients.

    towers' gradients  ->  [check_numerics, clip, compact, mean, accumulate, ...]  ->  one gradient per variable
"""
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


class Site(NamedTuple):
    """Where gradients come from and go to: what a reduction may need to know of the step around it.

    Attributes:
      devices: one device string per tower that trains.
      towers: the index of each of these towers, for messages.
      shares: what each tower counts in a mean, numbers or float64 scalar tensors that sum to 1; None: all the same.
      global_step: the global step variable; None outside of a step.
      scope: where a reduction's own variables go, a name without a closing slash, such as "reduction/generator".
      copied: whether each tower has variables of its own, so that the result is wanted on every tower's device.
      apart: whether this is one of several towers that apply gradients of their own, in the same step.
      first: where each tower applies gradients of its own, what `init` returned for the first of them; None for that
        one, and elsewhere. A checkpoint holds the first's alone, whatever the number of towers; others begin with it.
    """

    devices: List[str]
    towers: List[int]
    shares: Optional[List[Any]] = None
    global_step: Optional[Any] = None
    scope: str = "reduction"
    copied: bool = False
    apart: bool = False
    first: Optional[Any] = None

    @property
    def shares_vary(self) -> bool:
        """Whether what towers count is known in the running graph alone, and can be another in each step."""
        return self.shares is not None and any(map(tf.is_tensor, self.shares))


class GradientRow(NamedTuple):
    """One variable's gradients on their way from the towers to the variable.

    Attributes:
      name: the variable's, or a bucket's.
      variable: the variable, where towers have copies tower 0's; None for a bucket of several variables' gradients.
      gradients: tensors, IndexedSlices or None. Before the towers' are made one: one per tower. After: one, or, where
        every tower has its own result, one per tower, all equal.
      device: where the result is needed: the variable's device.
      how: what was done to make them one, in words, such as "add_n" or "tree"; "" before that.
      where: the device of the sum; None before it, or where there is no single one.
      bucket: the number of the bucket that it travelled in; None if in none.
      once: a dense gradient that is part of every tower's but the same in all, of a regularization: it is added once,
        where they are made one. Reductions never see it: see `legacy_towers.gradients.once`.
    """

    name: str
    variable: Any
    gradients: List[Any]
    device: str = ""
    how: str = ""
    where: Optional[str] = None
    bucket: Optional[int] = None
    once: Optional[Any] = None


class TowerGradients(NamedTuple):
    """All variables' gradients at one point of a chain.

    Attributes:
      rows: one per variable, in the optimizer's order.
      site: where they come from and go to.
      reduced: whether the towers' gradients have been made one.
      apply_if: bool scalar tensor: whether the result is to be applied in this step; None: in each step.
      beside: operations that run in each step, whether or not the result is applied.
      of_earlier: the reduction by which gradients of earlier steps came in, such as "accumulate(4)"; "" without any.
    """

    rows: List[GradientRow]
    site: Site
    reduced: bool = False
    apply_if: Optional[Any] = None
    beside: Tuple[Any, ...] = ()
    of_earlier: str = ""


class Reduction:
    """A value that says what is done with gradients; what it remembers from step to step belongs to one graph.

    A subclass defines `update`, and where it needs variables of its own `init`. A plain function that takes
    `TowerGradients` and returns them is a reduction too, in `chain` and wherever one is asked for.

    Attributes:
      kind: what becomes of the numbers. "change": other numbers, as by clipping; "form": the same ones, in another form
        or only looked at; "sum": the towers' are made one, plainly; "layout": they are made one in a way of its own, in
        which they travel and are added up. Of a chain it is that of each member.
      travels_in: the smaller dtype that they travel in, by its name, such as "float16"; None: in their own.
      scales_loss: whether it has to see the loss before the gradients are computed.
      needs_whole: whether it has to see each tower's whole gradient. A mean or a sum does not: what is the same in all
        towers' gradients, of a regularization, can be added once afterwards.
      passes_once: whether it sees to that itself, and is given `GradientRow.once`, as a chain for its members.
      sums: whether it makes the towers' gradients their sum, not their mean.
      linear: whether gradients twice as large come out twice as large. Clipping is not: it has to see their true size.
    """

    kind = "change"
    travels_in: Optional[str] = None
    scales_loss = False
    needs_whole = True
    passes_once = False
    sums = False
    linear = True

    def init(self, site: Site, variables: Sequence[Any]) -> Any:
        """Makes variables in the default graph and returns them, in whatever form `update` takes; None without any.

        Called once per graph, before the towers' gradients are computed.

        Args:
          site: where gradients come from and go to.
          variables: those whose gradients will come.
        """
        return None

    def scale_loss(self, loss: Any, state: Any) -> Any:
        """Returns what a tower's gradients are computed of in place of its loss; the loss itself, but for scaling."""
        return loss

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        """Returns other gradients.

        Args:
          gradients: of the towers, or of those that were made one by a reduction before this.
          state: what `init` returned.
        """
        raise NotImplementedError

    def roundings(self, towers: int) -> float:
        """Returns how often at most a number that travels in a smaller dtype is rounded; see `lt.gradients.compacted`.

        Args:
          towers: how many there are; they may have weights.
        """
        return 3.0

    def hooks(self, site: Site) -> List[Any]:
        """Returns `tf.train.SessionRunHook`s that must run beside the step, such as a check of the session.

        Args:
          site: where gradients come from and go to.
        """
        return []


ReductionLike = Union[Reduction, Callable[[TowerGradients], TowerGradients]]


class _Function(Reduction):
    """A plain function as a reduction."""

    def __init__(self, function: Callable[[TowerGradients], TowerGradients]) -> None:
        self._function = function

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        result = self._function(gradients)
        if not isinstance(result, TowerGradients):
            raise ArgumentError(
                "the reduction {!r} returned a {}, not the TowerGradients that it should hand on".format(
                    self, type(result).__name__
                )
            )
        return result

    def __repr__(self) -> str:
        return str(getattr(self._function, "__name__", repr(self._function)))


def as_reduction(reduction: ReductionLike) -> Reduction:
    """Returns a Reduction as it is, and one around a plain function.

    Raises:
      ArgumentError: it is neither.
    """
    if isinstance(reduction, Reduction):
        return reduction
    if isinstance(reduction, type) or not callable(reduction):
        raise ArgumentError(
            "{!r} is no reduction: make one, such as lt.gradients.mean(), or lt.gradients.chain(...) of several".format(
                reduction
            )
        )
    name = getattr(reduction, "__name__", "")
    if str(getattr(reduction, "__module__", "")).startswith(__name__.rpartition(".")[0] + "."):
        raise ArgumentError("lt.gradients.{0} is given, not what it returns: write lt.gradients.{0}()".format(name))
    return _Function(reduction)


def pairs_of(gradients: TowerGradients) -> List[Tuple[Optional[Any], Any]]:
    """Returns the (gradient, variable) pairs of gradients that are one per variable, for an optimizer."""
    return [(row.gradients[0], row.variable) for row in gradients.rows]
