"""The data flow of one tower: the input ops that its loss reads, and the ops that choose among their rows."""
from typing import Any, Collection, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import draws_random_numbers
from legacy_towers.graph.shared_batches.input_ops import is_example, is_input, is_source_of_python
from legacy_towers.graph.walk import attributes_of

TensorKey = Tuple[Any, int]  # an operation and the index of its output


class _Chooser(NamedTuple):
    """An op that passes on some of its rows.

    Attributes:
      data: the positions of the inputs that hold rows.
      which: the positions of the inputs that say which rows.
      by_output: whether each output holds different rows.
    """

    data: Tuple[int, ...]
    which: Tuple[int, ...]
    by_output: bool = False


# Ops that pass on some of their rows.
CHOOSERS = {
    "Split": _Chooser((1,), (0,), True),
    "SplitV": _Chooser((0,), (1, 2), True),
    "Unpack": _Chooser((0,), (), True),
    "DynamicPartition": _Chooser((0,), (1,), True),
    "SparseSplit": _Chooser((1, 2, 3), (0,), True),
    "SparseSlice": _Chooser((0, 1, 2), (3, 4)),
    "StridedSlice": _Chooser((0,), (1, 2, 3)),
    "Slice": _Chooser((0,), (1, 2)),
    "Gather": _Chooser((0,), (1,)),
    "GatherV2": _Chooser((0,), (1, 2)),
    "GatherNd": _Chooser((0,), (1,)),
    "TensorArrayReadV3": _Chooser((2,), (1,)),
    "TensorListGetItem": _Chooser((0,), (1,)),
}
# Ops that read how many rows there are, not the rows.
_SIZES = frozenset(
    "Shape ShapeN Size Rank ZerosLike OnesLike TensorArraySizeV3 TensorListLength BroadcastGradientArgs".split()
)
_CONTROL_FLOW = frozenset(
    "Enter RefEnter Merge RefMerge NextIteration RefNextIteration Exit RefExit LoopCond Switch RefSwitch".split()
)
_LARGEST_INDEX = 300  # ops; an index that takes more is computed by the model, not by a tower loop


class Reached(NamedTuple):
    """Where rows go: to the loss without any choice among them (`whole`), or into ops that choose among them."""

    whole: bool
    chosen: Dict[Any, List[TensorKey]]  # which rows -> the tensors that hold them


def is_permutation(operation: Any) -> bool:
    """Returns whether an operation is known to return all rows of its input in another order."""
    if operation.type in ("RandomShuffle", "RandomShuffleV2"):
        return True
    inputs = list(operation.inputs)
    if operation.type in ("ReverseV2", "Roll"):
        axes = tf.get_static_value(inputs[-1])
        return axes is not None and axes.reshape(-1).tolist() == [0]
    if operation.type not in ("Gather", "GatherV2") or not inputs[0].shape.ndims:
        return False
    axis = tf.get_static_value(inputs[2]) if operation.type == "GatherV2" else 0
    rows, indices = tf.dimension_value(inputs[0].shape[0]), tf.get_static_value(inputs[1])
    return axis == 0 and rows is not None and indices is not None and sorted(indices.reshape(-1)) == list(range(rows))


class Flow:
    """The data flow from the input ops to one tower's loss.

    Attributes:
      operations: the ops that compute the loss, back to the input ops and no further.
      examples: the outputs of input ops that hold examples.
      shared_operations: the ops that another tower's loss needs, too; set it before the first call of `reach`.
    """

    def __init__(self, loss: Any, codes: Dict[Any, int], meant: Collection[Any] = ()) -> None:
        """
        Args:
          codes: one dict for all towers.
          meant: input ops that all towers are meant to read; their outputs do not count as examples.
        """
        self._codes = codes  # the same for all towers, so that equal codes are equal computations
        self._code_of: Dict[Any, Optional[int]] = {}
        self._reached: Dict[FrozenSet[TensorKey], Reached] = {}
        self._consumers: Dict[TensorKey, List[Any]] = {}
        self.shared_operations: Set[Any] = set()
        targets = [tensor for tensor in tf.nest.flatten(loss, expand_composites=True) if tensor is not None]
        self._targets = {tensor.op for tensor in targets}
        self.operations = self._walk_back()
        outputs = [(target.op, target.value_index) for target in targets if is_input(target.op)]
        outputs += [key for key in self._consumers if is_input(key[0])]
        for operation in self.operations:
            if is_source_of_python(operation) and not self._reads_an_input_op(operation):
                outputs += [(operation, index) for index in range(len(operation.outputs))]
        self.examples = [
            key for key in outputs if key[0] not in meant and is_example(key[0].outputs[key[1]], self._readers)
        ]
        self._of_examples: Optional[Set[TensorKey]] = None

    def reach(self, start: FrozenSet[TensorKey]) -> Reached:
        """Follows the rows of the tensors `start` towards the loss, up to the first ops that choose among them."""
        if start not in self._reached:
            self._reached[start] = self._reach(start)
        return self._reached[start]

    def _walk_back(self) -> Set[Any]:
        seen = set(self._targets)
        waiting = list(self._targets)
        consumers = self._consumers
        while waiting:
            operation = waiting.pop()
            if is_input(operation):
                continue
            for tensor in operation.inputs:
                before = tensor.op
                consumers.setdefault((before, tensor.value_index), []).append(operation)
                if before not in seen:
                    seen.add(before)
                    waiting.append(before)
        return seen

    def _readers(self, tensor: Any) -> List[Any]:
        return self._consumers.get((tensor.op, tensor.value_index), [])

    @staticmethod
    def _reads_an_input_op(operation: Any) -> bool:
        waiting, seen = [operation], {operation}
        while waiting:
            for tensor in waiting.pop().inputs:
                # A fed scalar is not an example: `tf.py_func(load, [step], ...)` is a source.
                if is_input(tensor.op) and tensor.shape.ndims != 0:
                    return True
                if tensor.op not in seen:
                    seen.add(tensor.op)
                    waiting.append(tensor.op)
        return False

    def _reach(self, start: FrozenSet[TensorKey]) -> Reached:
        whole = any(key[0] in self._targets for key in start)
        chosen: Dict[Any, List[TensorKey]] = {}
        seen = set(start)
        waiting = list(start)
        while waiting:
            key = waiting.pop()
            for operation in self._consumers.get(key, ()):
                if operation.type in _SIZES:
                    continue
                choices = self._choices(operation, key)
                if choices is None:
                    whole = whole or operation in self._targets
                    for output in self._outputs(operation):
                        if output not in seen:
                            seen.add(output)
                            waiting.append(output)
                else:
                    for choice, tensor in choices:
                        chosen.setdefault(choice, []).append(tensor)
        return Reached(whole, chosen)

    def _outputs(self, operation: Any) -> List[TensorKey]:
        return [(operation, index) for index in range(len(operation.outputs))]

    def _choices(self, operation: Any, key: TensorKey) -> Optional[List[Tuple[Any, TensorKey]]]:
        """Returns (which rows, the tensor with them) per choice of `operation` from `key`; None if it has no choice."""
        is_target = operation in self._targets
        read = [output for output in self._outputs(operation) if is_target or output in self._consumers]
        chooser = CHOOSERS.get(operation.type)
        if chooser is None or is_permutation(operation):
            if operation in self.shared_operations and len(operation.outputs) > 1:
                if operation.type not in _CONTROL_FLOW:
                    return [((operation, output[1]), output) for output in read]
            return None
        inputs = list(operation.inputs)
        data = [(inputs[position].op, inputs[position].value_index) for position in chooser.data]
        if key not in data:
            # `key` holds indices into other rows: of examples, which is a choice already seen, or of a table.
            return [] if any(each in self._rows_of_examples() for each in data) else None
        which = tuple(self._code(inputs[position]) for position in chooser.which)
        if None in which:
            return None
        kind = (operation.type, attributes_of(operation), which)
        if not chooser.by_output:
            return [(kind, output) for output in read]
        parts = operation.get_attr("num_split") if operation.type == "SparseSplit" else len(operation.outputs)
        return [(kind + (output[1] % parts,), output) for output in read]

    def _rows_of_examples(self) -> Set[TensorKey]:
        """Returns all tensors that hold rows of examples, or values computed from them."""
        if self._of_examples is None:
            seen = set(self.examples)
            waiting = list(self.examples)
            while waiting:
                for operation in self._consumers.get(waiting.pop(), ()):
                    if operation.type not in _SIZES:
                        for output in self._outputs(operation):
                            if output not in seen:
                                seen.add(output)
                                waiting.append(output)
            self._of_examples = seen
        return self._of_examples

    def _code(self, tensor: Any) -> Optional[Any]:
        """Returns an equal value for an equal computation in any tower; None where equality can't be decided.

        That is so for values that change from one iteration of a loop to the next, and for random numbers that only
        this tower draws: a random crop of the same images is not a part of its own.
        """
        waiting = [tensor.op]
        while waiting:
            operation = waiting[-1]
            if operation in self._code_of:
                waiting.pop()
                continue
            if len(waiting) > _LARGEST_INDEX or operation.type in _CONTROL_FLOW:
                return None
            known = self._leaf(operation)
            if known is not None:
                self._code_of[operation] = self._codes.setdefault(known, len(self._codes))
                continue
            if draws_random_numbers(operation):
                self._code_of[operation] = None
                continue
            inputs = list(operation.inputs)
            missing = [each.op for each in inputs if each.op not in self._code_of]
            if missing:
                waiting.extend(missing)
                continue
            inputs_codes = tuple((self._code_of[each.op], each.value_index) for each in inputs)
            if any(code is None for code, _ in inputs_codes):
                self._code_of[operation] = None
            else:
                made = (operation.type, attributes_of(operation), inputs_codes)
                self._code_of[operation] = self._codes.setdefault(made, len(self._codes))
        code = self._code_of[tensor.op]
        return None if code is None else (code, tensor.value_index)

    def _leaf(self, operation: Any) -> Optional[Any]:
        if operation.type == "Const":
            return (operation.type, attributes_of(operation))
        if operation in self.shared_operations or is_input(operation):
            return operation
        return operation if not operation.inputs and not draws_random_numbers(operation) else None
