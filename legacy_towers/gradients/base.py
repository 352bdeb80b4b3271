"""What a reduction is: it takes the towers' gradients and gives gradients, and `chain(...)` of reductions is one.

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
        where they are made one. Reductions never see it, see `updated`.
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
      scales_loss: whether it has to see the loss before the gradients are computed.
      needs_whole: whether it has to see each tower's whole gradient. A mean or a sum does not: what is the same in all
        towers' gradients, of a regularization, can be added once afterwards.
      sums: whether it makes the towers' gradients their sum, not their mean.
      linear: whether gradients twice as large come out twice as large. Clipping is not: it has to see their true size.
    """

    scales_loss = False
    needs_whole = True
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

    def hooks(self, site: Site) -> List[Any]:
        """Returns `tf.train.SessionRunHook`s that must run beside the step, such as a check of the session.

        Args:
          site: where gradients come from and go to.
        """
        return []


ReductionLike = Union[Reduction, Callable[[TowerGradients], TowerGradients]]


class Chain(Reduction):
    """Reductions one after the other; see `chain`."""

    def __init__(self, parts: Sequence[Reduction]) -> None:
        self.parts = tuple(parts)
        self.scales_loss = any(part.scales_loss for part in parts)
        self.sums = any(part.sums for part in parts)
        self.linear = all(part.linear for part in parts)
        for number, part in enumerate(self.parts):
            self._check_true_size(part, self.parts[number + 1 :])

    def init(self, site: Site, variables: Sequence[Any]) -> List[Any]:
        # No part's scope has its number: what a checkpoint holds keeps its name when one more is put in front.
        firsts = [None] * len(self.parts) if site.first is None else site.first
        return [part.init(site._replace(first=first), variables) for part, first in zip(self.parts, firsts)]

    def scale_loss(self, loss: Any, state: Any) -> Any:
        for part, of_part in zip(self.parts, state):
            loss = part.scale_loss(loss, of_part)
        return loss

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        for part, of_part in zip(self.parts, state):
            gradients = updated(part, gradients, of_part)
        return gradients

    def hooks(self, site: Site) -> List[Any]:
        return [hook for part in self.parts for hook in part.hooks(site)]

    def _check_true_size(self, part: Reduction, behind: Sequence[Reduction]) -> None:
        scaling = [each for each in behind if each.scales_loss]
        if not part.linear and scaling:
            raise ArgumentError(
                "{!r} stands in front of {!r}, and would see the gradients of the scaled loss, not their true size: "
                "put it behind".format(part, scaling[0])
            )

    def __repr__(self) -> str:
        return "chain({})".format(", ".join(map(repr, self.parts)))


class _Function(Reduction):
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


def chain(*reductions: ReductionLike) -> Chain:
    """Returns the reductions one after the other, as one.

        chain(clip_by_global_norm(5.0), mean())    # each tower's gradients are clipped, then averaged
        chain(mean(), clip_by_global_norm(5.0))    # their mean is clipped

    Raises:
      ArgumentError: one of them is no reduction, or there is none; or one that clips or adds noise stands in front of
        one that scales the loss.
    """
    if not reductions:
        raise ArgumentError("chain() of nothing: name what is to be done, such as chain(mean())")
    return Chain([as_reduction(each) for each in reductions])


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


def updated(reduction: Reduction, gradients: TowerGradients, state: Any) -> TowerGradients:
    """Returns `reduction.update(gradients, state)`, with what is the same in all towers' gradients in its place.

    What a mean or a sum makes one gets it once, afterwards, in place of once per tower. Before anything else, such as
    clipping each tower's gradients, it becomes part of each of them. A variable whose gradients a reduction drops drops
    it as well.
    """
    if isinstance(reduction, Chain) or all(row.once is None for row in gradients.rows):
        return reduction.update(gradients, state)
    if reduction.needs_whole:
        return reduction.update(with_what_is_the_same(gradients), state)
    before = {row.name: row for row in gradients.rows}
    plain = gradients._replace(rows=[row._replace(once=None) for row in gradients.rows])
    result = reduction.update(plain, state)
    if not result.reduced:
        return result._replace(rows=[row._replace(once=_kept(row, before[row.name])) for row in result.rows])
    factor = _counted_towers(gradients.site) if reduction.sums else 1
    return result._replace(rows=[_completed(row, before[row.name], factor) for row in result.rows])


def with_what_is_the_same(gradients: TowerGradients) -> TowerGradients:
    """Returns gradients of which each is whole: what is the same in all towers' has become part of each."""
    rows = []
    for row in gradients.rows:
        # Without any gradient of a tower it goes on by itself: there is nothing that it could be added to.
        if row.once is not None and any(gradient is not None for gradient in row.gradients):
            added = [None if each is None else dense_sum(each, row.once) for each in row.gradients]
            row = row._replace(gradients=added, once=None)
        elif row.once is not None:
            row = row._replace(gradients=[row.once] * len(row.gradients), once=None)
        rows.append(row)
    return gradients._replace(rows=rows)


def _kept(row: GradientRow, before: GradientRow) -> Optional[Any]:
    was_dropped = all(each is None for each in row.gradients) and any(each is not None for each in before.gradients)
    return None if was_dropped else before.once


def _counted_towers(site: Site) -> Any:
    """Returns how many towers a sum is of: one of share 0 is left out; a number, or a scalar tensor."""
    if site.shares is None:
        return len(site.devices)
    if not any(tf.is_tensor(share) for share in site.shares):
        return len([share for share in site.shares if share > 0])
    return tf.add_n([tf.cast(tf.greater(share, 0), tf.int32) for share in site.shares])


def _completed(row: GradientRow, before: GradientRow, factor: Any) -> GradientRow:
    once = _kept(row, before)
    if once is None:
        return row
    with tf.device(row.device or None):
        if tf.is_tensor(factor) or factor != 1:
            once = once * tf.cast(factor, once.dtype)
        return row._replace(gradients=[once if each is None else dense_sum(each, once) for each in row.gradients])


def dense_sum(gradient: Any, addition: Any) -> Any:
    """Returns the sum of two gradients of one variable, dense even where one is sparse: a decay is of every row."""
    return tf.add(tf.convert_to_tensor(gradient), tf.convert_to_tensor(addition))


def members_of(reduction: ReductionLike) -> List[Reduction]:
    """Returns what a chain consists of, chains inside of it included; a reduction by itself is its only member."""
    made = as_reduction(reduction)
    if not isinstance(made, Chain):
        return [made]
    return [member for part in made.parts for member in members_of(part)]


def pairs_of(gradients: TowerGradients) -> List[Tuple[Optional[Any], Any]]:
    """Returns the (gradient, variable) pairs of gradients that are one per variable, for an optimizer."""
    return [(row.gradients[0], row.variable) for row in gradients.rows]
