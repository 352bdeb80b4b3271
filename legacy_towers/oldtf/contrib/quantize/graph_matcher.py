"""tf.contrib.quantize.python.graph_matcher: finds operations whose inputs, and theirs, are of given types."""
import itertools
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from legacy_towers.compat import tf

__all__ = ["GraphMatcher", "MatchResult", "OneofPattern", "OpTypePattern", "Pattern"]


class Pattern:
    """What an operation may fit."""

    def match(self, op: tf.Operation, tensor: Optional[tf.Tensor]) -> Optional["MatchResult"]:
        """Returns what fits of `op`, whose output `tensor` led to it, and of what lies before; None if it doesn't."""
        raise NotImplementedError('Method "match" not implemented.')


class OpTypePattern(Pattern):
    """An operation of one of some types, with inputs that fit patterns.

    Args:
      op_type: "Conv2D", "Relu|Relu6", or "*" for any.
      name: under which a MatchResult has it.
      inputs: patterns or types, one for each input; none: any inputs fit.
      ordered_inputs: False: the inputs may be in any order.

    Raises:
      ValueError: more than 8 inputs.
    """

    def __init__(
        self,
        op_type: str,
        name: Optional[str] = None,
        inputs: Optional[Sequence[Union[str, Pattern]]] = None,
        ordered_inputs: bool = True,
    ) -> None:
        if inputs is not None and len(inputs) > 8:
            raise ValueError("Only < 8 inputs are allowed when ordered_inputs is False.")
        self._types = op_type.split("|")
        self._name = name
        self._inputs = [one if isinstance(one, Pattern) else OpTypePattern(one) for one in inputs or ()]
        self._is_ordered = ordered_inputs

    @property
    def name(self) -> Optional[str]:
        return self._name

    def match(self, op: tf.Operation, tensor: Optional[tf.Tensor]) -> Optional["MatchResult"]:
        if self._types != ["*"] and op.type not in self._types:
            return None
        found = MatchResult()
        found.add(self, op, tensor)
        if not self._inputs:
            return found
        if len(op.inputs) != len(self._inputs):
            return None
        orders: Iterable[Sequence[Pattern]] = [self._inputs]
        if not self._is_ordered:
            orders = itertools.permutations(self._inputs)
        for patterns in orders:
            if all(_merged(found, pattern, one) for pattern, one in zip(patterns, op.inputs)):
                return found
        return None


def _merged(found: "MatchResult", pattern: Pattern, tensor: tf.Tensor) -> bool:
    # What was merged in an order that fits not to its end stays, as on TensorFlow 1.15; the next order replaces it.
    before = pattern.match(tensor.op, tensor)
    if before is not None:
        found.merge_from(before)
    return before is not None


class OneofPattern(Pattern):
    """The first of `sub_patterns` that fits."""

    def __init__(self, sub_patterns: Sequence[Pattern]) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: tf.Operation, tensor: Optional[tf.Tensor]) -> Optional["MatchResult"]:
        for pattern in self._sub_patterns:
            found = pattern.match(op, tensor)
            if found is not None:
                return found
        return None


class MatchResult:
    """Which operation fitted each pattern, and the output of it that led there (None for the first)."""

    def __init__(self) -> None:
        self._found: Dict[Pattern, Tuple[tf.Operation, Optional[tf.Tensor]]] = {}
        self._named: Dict[str, Pattern] = {}

    def add(self, pattern: Any, op: tf.Operation, tensor: Optional[tf.Tensor]) -> None:
        """Keeps that `op` fitted `pattern`.

        Raises:
          ValueError: the name of the pattern is another one's.
        """
        self._found[pattern] = (op, tensor)
        if pattern.name is None:
            return
        if pattern.name in self._named:
            raise ValueError("Name {} is already bound to another pattern".format(pattern.name))
        self._named[pattern.name] = pattern

    def get_op(self, pattern_or_name: Union[str, Pattern]) -> Optional[tf.Operation]:
        """Returns the operation that fitted, None if none did."""
        return self._get(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Union[str, Pattern]) -> Optional[tf.Tensor]:
        """Returns the output of the operation that led to it, None if none fitted, or for the first."""
        return self._get(pattern_or_name)[1]

    def merge_from(self, other_match_result: "MatchResult") -> None:
        """Takes over what the other has."""
        self._found.update(other_match_result._found)
        self._named.update(other_match_result._named)

    def _get(self, wanted: Union[str, Pattern]) -> Tuple[Optional[tf.Operation], Optional[tf.Tensor]]:
        if not isinstance(wanted, (str, Pattern)):
            raise ValueError("pattern_or_name has type {}. Expect Pattern or str.".format(type(wanted)))
        pattern = self._named.get(wanted) if isinstance(wanted, str) else wanted
        return (None, None) if pattern is None else self._found.get(pattern, (None, None))


class GraphMatcher:
    """Looks for `pattern`."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: tf.Operation) -> Optional[MatchResult]:
        """Returns what fits where `op` is the last operation, None if it doesn't."""
        return self._pattern.match(op, None)

    def match_ops(self, ops: Iterable[tf.Operation]) -> Iterator[MatchResult]:
        """Yields what fits for each of `ops` that does."""
        for op in ops:
            found = self.match_op(op)
            if found is not None:
                yield found

    def match_graph(self, graph: tf.Graph) -> Iterator[MatchResult]:
        """Yields what fits for each operation of `graph` that does, in the order in which they were made."""
        operations: List[tf.Operation] = graph.get_operations()
        return self.match_ops(operations)
