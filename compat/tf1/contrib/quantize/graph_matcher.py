"""tf.contrib.quantize.python.graph_matcher: patterns of operation types and their inputs."""
import itertools
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from legacy_towers.compat.versions import tf

__all__ = ["GraphMatcher", "MatchResult", "OneofPattern", "OpTypePattern", "Pattern"]


class Pattern:
    """A pattern that operations match or not."""

    def match(self, op: tf.Operation, tensor: Optional[tf.Tensor]) -> Optional["MatchResult"]:
        """Returns the match of `op` and its inputs, or None; `tensor` is the output of `op` that is used."""
        raise NotImplementedError('Method "match" not implemented.')


class OpTypePattern(Pattern):
    """Matches an operation by its type and by the patterns of its inputs.

    Args:
      op_type: "Conv2D", "Relu|Relu6", or "*" for any type.
      name: the key of the operation in MatchResult.
      inputs: a pattern or type for each input; None matches any inputs.
      ordered_inputs: whether the order of the inputs matters.

    Raises:
      ValueError: `inputs` has more than 8 elements.
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
    # Results of an order that fails later are not removed, as in TensorFlow 1.15; the next order overwrites them.
    match = pattern.match(tensor.op, tensor)
    if match is not None:
        found.merge_from(match)
    return match is not None


class OneofPattern(Pattern):
    """Matches the first of `sub_patterns` that matches."""

    def __init__(self, sub_patterns: Sequence[Pattern]) -> None:
        self._sub_patterns = sub_patterns

    def match(self, op: tf.Operation, tensor: Optional[tf.Tensor]) -> Optional["MatchResult"]:
        for pattern in self._sub_patterns:
            found = pattern.match(op, tensor)
            if found is not None:
                return found
        return None


class MatchResult:
    """The operation that each pattern matched, and the output that the pattern above uses (None: last operation)."""

    def __init__(self) -> None:
        self._found: Dict[Pattern, Tuple[tf.Operation, Optional[tf.Tensor]]] = {}
        self._named: Dict[str, Pattern] = {}

    def add(self, pattern: Any, op: tf.Operation, tensor: Optional[tf.Tensor]) -> None:
        """Adds the match of `pattern` and `op`.

        Raises:
          ValueError: another pattern has the same name.
        """
        self._found[pattern] = (op, tensor)
        if pattern.name is None:
            return
        if pattern.name in self._named:
            raise ValueError("Name {} is already bound to another pattern".format(pattern.name))
        self._named[pattern.name] = pattern

    def get_op(self, pattern_or_name: Union[str, Pattern]) -> Optional[tf.Operation]:
        """Returns the operation that matched, or None."""
        return self._get(pattern_or_name)[0]

    def get_tensor(self, pattern_or_name: Union[str, Pattern]) -> Optional[tf.Tensor]:
        """Returns the output of the matched operation that the pattern above uses; None for the last operation."""
        return self._get(pattern_or_name)[1]

    def merge_from(self, other_match_result: "MatchResult") -> None:
        """Adds all matches of `other_match_result`."""
        self._found.update(other_match_result._found)
        self._named.update(other_match_result._named)

    def _get(self, pattern_or_name: Union[str, Pattern]) -> Tuple[Optional[tf.Operation], Optional[tf.Tensor]]:
        if not isinstance(pattern_or_name, (str, Pattern)):
            raise ValueError("pattern_or_name has type {}. Expect Pattern or str.".format(type(pattern_or_name)))
        pattern = self._named.get(pattern_or_name) if isinstance(pattern_or_name, str) else pattern_or_name
        return (None, None) if pattern is None else self._found.get(pattern, (None, None))


class GraphMatcher:
    """Finds the matches of `pattern`."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def match_op(self, op: tf.Operation) -> Optional[MatchResult]:
        """Returns the match whose last operation is `op`, or None."""
        return self._pattern.match(op, None)

    def match_ops(self, ops: Iterable[tf.Operation]) -> Iterator[MatchResult]:
        """Yields the match of each of `ops` that matches."""
        for op in ops:
            found = self.match_op(op)
            if found is not None:
                yield found

    def match_graph(self, graph: tf.Graph) -> Iterator[MatchResult]:
        """Yields the match of each operation of `graph` that matches, in the order of creation."""
        operations: List[tf.Operation] = graph.get_operations()
        return self.match_ops(operations)
