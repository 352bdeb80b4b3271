"""Combines the tensors of towers into those of the whole batch.

    rows        the rows of all towers, in order
    mean        the mean over towers, weighted by what each of them counts
    sum, max, min, all, any
    gradient    by the rule of its loss; of a sparse one, the values and indices of all towers
"""
from typing import Any, Callable, Dict, List, Optional, Set

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import ADD_OPS, draws_random_numbers
from legacy_towers.replication.losses import MEAN, SUM, Rule
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.regions import Regions
from legacy_towers.replication.rows import NORMALIZATIONS, Rows, reduced_axes
from legacy_towers.replication.static_counts import is_mean
from legacy_towers.replication.towers import Towers
from legacy_towers.tensor_types import Tensor

# How the tensor of a whole step is made from those of the towers; MEAN and SUM are two more ways.
ROWS, MAX, MIN, ALL, ANY, GRADIENT = "rows", "max", "min", "all", "any", "gradient"
# Computed once, from tensors of the whole step.
COMPUTED = "computed"
# Left in the graph as it is, such as the tensors of a loop.
ORIGINAL = "original"
# Drawn by each tower, or drawn once and split.
DRAWN = "drawn"
_REDUCED = {"Mean": MEAN, "Sum": SUM, "Max": MAX, "Min": MIN, "All": ALL, "Any": ANY, "L2Loss": SUM}


class Kinds:
    """Decides how the tensor of a whole step is made from those of its towers.

    Args:
      regions: the parts of the step.
      rows: which tensors have one row per example.
      size: the number of examples if the graph has it fixed.
    """

    def __init__(self, regions: Regions, rows: Rows, size: Optional[int]) -> None:
        self._regions, self._rows, self._size = regions, rows, size
        self._known: Dict[Tensor, str] = {}

    def of(self, tensor: Tensor) -> str:
        """Returns the kind of a tensor that depends on the examples, or that is computed after one which does."""
        if tensor not in self._known:
            self._known[tensor] = self._kind(tensor)
        return self._known[tensor]

    def _kind(self, tensor: Tensor) -> str:
        regions, operation = self._regions, tensor.op
        if operation not in regions.dependent:
            return COMPUTED
        if regions.call_of(operation) is not None:
            return self._of_gradient(tensor)
        if draws_random_numbers(operation) and not regions.loops(operation):
            return DRAWN
        if tensor in self._rows:
            return ROWS
        if regions.changes_state(operation):
            # Its state is written once; a loss that only runs after an update is of the towers.
            return COMPUTED
        if operation.type in NORMALIZATIONS:
            return MEAN
        if operation.type in _REDUCED and (operation.type == "L2Loss" or reduced_axes(operation)[0]):
            return self._of_reduction(tensor)
        if operation.type == "Merge" and not regions.loops(operation):
            kinds = {self.of(each) for each in operation.inputs if each.op in regions.dependent}
            return MEAN if kinds == {MEAN} else COMPUTED
        if regions.loops(operation) or operation.type in ("Exit", "RefExit") or tensor.dtype in (
                tf.resource, tf.variant):
            return ORIGINAL
        return MEAN if self._rows.are_of_towers and is_mean(operation, regions.dependent) else COMPUTED

    def _of_reduction(self, tensor: Tensor) -> str:
        operation = tensor.op
        reduced = operation.inputs[0]
        if reduced in self._rows or (reduced.op in self._regions.dependent and tensor.shape.ndims == 0
                                     and not self._is_whole(reduced)):
            return _REDUCED[operation.type]
        return COMPUTED

    def _is_whole(self, tensor: Tensor) -> bool:
        """Returns whether a tensor is computed only from what is reduced over towers already, such as a mean."""
        if tensor.op not in self._regions.dependent:
            return True
        kind = self.of(tensor)
        if kind != COMPUTED:
            return kind not in (ROWS, ORIGINAL)
        return all(self._is_whole(each) for each in tensor.op.inputs)

    def _of_gradient(self, tensor: Tensor) -> str:
        """Returns the kind of a gradient; where a term without examples is added to it, it is reduced before that."""
        operation, dependent = tensor.op, self._regions.dependent
        if self._size is None:
            inputs = list(operation.inputs)
            if operation.type in ADD_OPS and any(each.op not in dependent for each in inputs):
                return COMPUTED
            if operation.type == "ConcatV2" and any(each.op not in dependent for each in inputs[:-1]):
                return COMPUTED
            if operation.type == "Identity" and self._regions.call_of(inputs[0].op) is not None:
                return COMPUTED if self._of_gradient(inputs[0]) == COMPUTED else GRADIENT
        return GRADIENT


class Wholes:
    """Makes the tensors of a whole step.

    Args:
      regions, rows, towers, kinds: the parts of the step, and what is known of its tensors.
      rule: returns the rule of the loss whose gradient a tensor is.
      example: a tensor with one row per example.
      is_split: whether the towers share one batch.
    """

    def __init__(
        self, regions: Regions, rows: Rows, towers: Towers, kinds: Kinds, rule: Callable[[Tensor], Rule],
        example: Tensor, is_split: bool,
    ) -> None:
        self._regions, self._rows, self._towers, self._kinds = regions, rows, towers, kinds
        self._rule, self._example, self._is_split = rule, example, is_split
        self._made: Dict[Tensor, Tensor] = {}
        self._weights: Dict[Any, List[Tensor]] = {}
        # For each tower, 1 if it has examples, 0 if a batch is smaller than the number of towers; None: always 1.
        self.counts: Optional[List[Tensor]] = None

    def of(self, tensor: Tensor) -> Tensor:
        """Returns the whole of a tensor that towers have."""
        if tensor not in self._made:
            with tf.control_dependencies(None), tf.device(tensor.op.device), tf.name_scope("replicate/whole/"):
                self._made[tensor] = self._make(tensor, self._kinds.of(tensor))
        return self._made[tensor]

    def gradients(self, tensors: List[Tensor], sparse: Set[Tensor]) -> None:
        """Makes the wholes of gradients: no variable is updated before all of them are computed.

        Args:
          tensors: the gradients; of sparse ones, values and indices.
          sparse: those of them that are values or indices of sparse gradients.
        """
        new = [each for each in tensors if each not in self._made]
        if not new:
            return
        reduced = []
        for tensor in new:
            with tf.control_dependencies(None), tf.device(tensor.op.device):
                with tf.name_scope("replicate/gradients/"):
                    reduced.append(self._reduced(tensor, tensor in sparse))
        with tf.control_dependencies(None), tf.control_dependencies([each.op for each in reduced]):
            for tensor, whole in zip(new, reduced):
                with tf.name_scope("replicate/gradients/"), tf.device(whole.op.device):
                    self._made[tensor] = tf.identity(whole)

    def _reduced(self, tensor: Tensor, is_sparse: bool) -> Tensor:
        parts = self._towers.of(tensor)
        if not tensor.dtype.is_floating:
            return tf.concat(parts, 0)
        rule = self._rule(tensor)
        if rule.kind == SUM:
            parts = self._counted(parts)
        else:
            parts = [part * tf.cast(weight, part.dtype) for part, weight in zip(parts, self.weights(rule))]
        whole = tf.concat(parts, 0) if is_sparse else tf.add_n(parts)
        if not is_sparse:
            whole.set_shape(tensor.shape)
        return whole

    def weights(self, rule: Rule) -> List[Tensor]:
        """Returns the weight of each tower under a rule; together they are 1."""
        counted = rule.counted
        if counted not in self._weights:
            own = self._towers.of(self._example if counted is None else counted)
            with tf.control_dependencies(None), tf.device(rule.operation.device), tf.name_scope("replicate/weights/"):
                if counted is None:
                    counts = [tf.cast(tf.shape(each)[0], tf.float64) for each in own]
                elif rule.kind == MEAN:
                    # In float64: float32 counts to 16 million.
                    counts = [tf.cast(tf.size(each), tf.float64) for each in own]
                else:
                    counts = [tf.cast(tf.reduce_sum(each), tf.float64) for each in own]
                counts = self._counted(counts)
                total = tf.add_n(counts)
                self._weights[counted] = [tf.div_no_nan(each, total) for each in counts]
        return self._weights[counted]

    def _make(self, tensor: Tensor, kind: str) -> Tensor:
        if kind == DRAWN:
            drawn = self._towers.drawn_whole(tensor)
            return refuse("the step reads random numbers that each tower draws by itself", tensor.op) \
                if drawn is None else drawn
        if kind == ROWS and self._is_split and self._towers.is_registered(tensor):
            return tensor  # of the input
        parts = self._towers.of(tensor)
        if kind == ROWS:
            if self.counts is not None:
                parts = [part[: tf.shape(part, out_type=tf.int64)[0] * count]
                         for part, count in zip(parts, self.counts)]
            whole = tf.concat(parts, 0)
        elif kind == MEAN:
            whole = self._mean(tensor, parts)
        elif kind == SUM:
            whole = tf.add_n(self._counted(parts))
        else:
            combine = {MAX: tf.reduce_max, MIN: tf.reduce_min, ALL: tf.reduce_all, ANY: tf.reduce_any}[kind]
            whole = combine(tf.stack(parts), 0)
        if kind != ROWS:
            whole.set_shape(tensor.shape)
        return whole

    def _mean(self, tensor: Tensor, parts: List[Tensor]) -> Tensor:
        operation = tensor.op
        # In a branch of a tf.cond that is not taken, what is counted has no value.
        counted = operation.inputs[0] if operation.type == "Mean" or operation.type in NORMALIZATIONS else None
        weights = self.weights(Rule(MEAN, counted, operation))
        return tf.add_n([part * tf.cast(weight, part.dtype) for part, weight in zip(parts, weights)])

    def _counted(self, parts: List[Tensor]) -> List[Tensor]:
        """Returns 0 in place of what a tower without examples has."""
        if self.counts is None:
            return parts
        return [part * tf.cast(count, part.dtype) for part, count in zip(parts, self.counts)]
