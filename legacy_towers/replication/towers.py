"""The copies of what depends on the examples, one per tower."""
import functools
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import draws_random_numbers, has_op_seed
from legacy_towers.replication.copies import Edges, copy_operations, ordered
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.regions import Regions
from legacy_towers.replication.rows import Rows, is_batch_by_shape
from legacy_towers.replication.writes import check_for_tower
from legacy_towers.tensor_types import Operation, Tensor

# Inputs that give the shape of an output, whose first element is a number of rows.
_SHAPES = {"Reshape": 1, "BroadcastTo": 1, "Slice": 2, "Fill": 0}
_SEED_STEP = 7919


class Towers:
    """Copies operations once per tower, each when it is first asked for.

    Args:
      regions: the parts of the training step.
      rows: which tensors have one row per example.
      devices: the device of each tower.
      whole: returns the tensor of the whole batch for a tensor of the graph.
      size: the number of examples if the graph has it fixed.
      is_fed: whether examples are fed, so that there is no second batch for another tower.

    Attributes:
      dropped: what changes a state, and ran before an operation that is copied: it runs once per step.
      drawn: (an output that draws random numbers, the same for the whole batch of all towers).
      own_numbers: operations whose copies draw random numbers of their own.
      copied: the operations that have copies.
    """

    def __init__(
        self, regions: Regions, rows: Rows, devices: Sequence[str], whole: Callable[[Tensor], Tensor],
        size: Optional[int], is_fed: bool,
    ) -> None:
        self._regions, self._rows, self.devices, self._whole, self._size = regions, rows, list(devices), whole, size
        self._is_fed = is_fed
        self._tensors: Dict[Tensor, List[Tensor]] = {}
        self._operations: Dict[Operation, List[Operation]] = {}
        self._overrides: Dict[Any, List[Tensor]] = {}
        self.dropped: List[Operation] = []
        self.drawn: List[Any] = []
        self._drawn: Dict[Tensor, Tensor] = {}
        self.own_numbers: List[Operation] = []
        self.copied: Set[Operation] = set()
        # For each tower, 1 if it has examples, 0 if a batch is smaller than the number of towers; None: always 1.
        self.counts: Optional[List[Tensor]] = None

    def register(self, tensor: Tensor, of_towers: Sequence[Tensor]) -> None:
        """Sets what each tower has in place of a tensor."""
        self._tensors[tensor] = list(of_towers)

    def is_registered(self, tensor: Tensor) -> bool:
        """Returns whether `register` was called for a tensor."""
        return tensor in self._tensors

    def of(self, tensor: Tensor) -> List[Tensor]:
        """Returns what each tower has in place of a tensor, which depends on the examples.

        Raises:
          NotReplicable: a tower can't have it.
        """
        self.copy([tensor])
        return self._found(tensor)

    def copy(self, tensors: Iterable[Tensor]) -> None:
        """Copies what computes the tensors, where it is not copied yet.

        Raises:
          NotReplicable: a tower can't have it.
        """
        targets = list(tensors)
        while True:
            missing = self._missing(targets)
            draws = [each for each in ordered(missing, self._regions.order) if self._is_drawn_once(each)]
            if not draws:
                break
            self._draw_once(draws[0])
        if missing:
            self._copy(ordered(missing, self._regions.order))

    def _found(self, tensor: Tensor) -> List[Tensor]:
        if tensor in self._tensors:
            return self._tensors[tensor]
        return [each.outputs[tensor.value_index] for each in self._operations[tensor.op]]

    def _missing(self, tensors: List[Tensor]) -> Set[Operation]:
        after = self._regions.after
        waiting = [each.op for each in tensors if each not in self._tensors]
        found: Set[Operation] = set()
        entered: Set[str] = set()
        while waiting:
            operation = waiting.pop()
            if operation in found or operation in self._operations:
                continue
            check_for_tower(operation)
            found.add(operation)
            waiting += [each.op for each in operation.inputs if each.op in after and each not in self._tensors]
            waiting += [each for each in operation.control_inputs if self._is_of_tower(each)]
            loop = self._regions.loops(operation)[:1]
            if loop and loop[0] not in entered:
                entered.add(loop[0])
                waiting += self._regions.whole_loop(loop[0])
        return found

    def _is_of_tower(self, before: Operation) -> bool:
        """Returns whether a tower has its own copy of what runs before one of its operations."""
        regions = self._regions
        if before not in regions.after or regions.runs_once(before):
            return False
        return not any(each in self._tensors for each in before.outputs)

    def _edges(self, operation: Operation, tower: int, copied: Set[Operation]) -> Edges:
        inputs = []
        for index, tensor in enumerate(operation.inputs):
            if (operation, index) in self._overrides:
                inputs.append(self._overrides[operation, index][tower])
            elif tensor in self._tensors:
                inputs.append(self._tensors[tensor][tower])
            elif tensor.op in copied or tensor.op not in self._operations:
                inputs.append(tensor)
            else:
                inputs.append(self._operations[tensor.op][tower].outputs[tensor.value_index])
        controls = []
        for before in operation.control_inputs:
            if before in copied or before not in self._regions.after:
                controls.append(before)
            elif before in self._operations:
                controls.append(self._operations[before][tower])
            elif any(each in self._tensors for each in before.outputs):
                controls.append(self._tensors[before.outputs[0]][tower].op)
            elif before not in self.dropped:
                self.dropped.append(before)
        return Edges(inputs, controls)

    def _copy(self, operations: List[Operation]) -> None:
        copied = set(operations)
        for operation in operations:
            if self._size is not None:
                self._fit(operation)
        changed: List[Dict[Operation, Dict[str, Any]]] = [{} for _ in self.devices]
        for operation in operations:
            if draws_random_numbers(operation):
                self.own_numbers.append(operation)
                if has_op_seed(operation):
                    for tower in range(1, len(self.devices)):
                        changed[tower][operation] = {"seed2": operation.get_attr("seed2") + tower * _SEED_STEP}
        made = [
            copy_operations(
                self._regions.graph, operations, functools.partial(self._edges, tower=tower, copied=copied),
                "replicate/tower_{}".format(tower), functools.partial(self._device, tower=tower, copied=copied),
                changed[tower],
            )
            for tower in range(len(self.devices))
        ]
        for operation in operations:
            self._operations[operation] = [each[operation] for each in made]
            self.copied.add(operation)
            if self._size is not None:
                self._check_rows(operation)

    def _device(self, operation: Operation, tower: int, copied: Set[Operation]) -> str:
        for tensor in operation.inputs:
            # A variable, a table: what uses it runs where it is.
            if (tensor.dtype == tf.resource or tensor.dtype != tensor.dtype.base_dtype) and tensor.op not in copied \
                    and tensor.op not in self._regions.dependent:
                return str(tensor.op.device)
        own = tf.DeviceSpec.from_string(operation.device or "")
        device = self.devices[tower]
        if own.device_type == "CPU" and tf.DeviceSpec.from_string(device).device_type != "CPU":
            return str(operation.device)
        return device

    # Random numbers.

    def drawn_whole(self, tensor: Tensor) -> Optional[Tensor]:
        """Returns what is drawn for the whole batch in place of `tensor`; None if each tower draws its own."""
        self.copy([tensor])
        return self._drawn.get(tensor)

    def _is_drawn_once(self, operation: Operation) -> bool:
        """Returns whether the random numbers of the whole batch are drawn at once, and each tower gets its rows."""
        if not draws_random_numbers(operation) or self._regions.loops(operation):
            return False
        shapes = [each.shape for each in operation.outputs]
        return all(
            each.ndims is not None and all(tf.dimension_value(size) is not None for size in each[1:]) for each in shapes
        )

    def _draw_once(self, operation: Operation) -> None:
        regions = self._regions
        inputs, sizes = [], None
        names = [each.name for each in operation.op_def.input_arg]
        for name, tensor in zip(names, operation.inputs):
            if tensor.op not in regions.dependent:
                inputs.append(tensor)
                continue
            of_towers = self.of(tensor)
            if name == "shape" and tensor.dtype.is_integer:
                sizes = [each[0] for each in of_towers]
                inputs.append(tf.concat([[tf.add_n(self._counted(sizes))], of_towers[0][1:]], 0))
            else:
                sizes = sizes or [tf.shape(each)[0] for each in of_towers]
                inputs.append(self._whole(tensor))
        made = copy_operations(
            regions.graph, [operation], lambda _: Edges(inputs, []), "replicate/whole", lambda each: str(each.device)
        )[operation]
        for output, copy in zip(operation.outputs, made.outputs):
            is_split = is_batch_by_shape(output)
            parts = self._rows_of(copy, sizes) if is_split and sizes else [copy] * len(self.devices)
            if is_split:
                for part in parts:
                    part.set_shape(output.shape)
            self.register(output, parts)
            self.drawn.append((output, copy))
            self._drawn[output] = copy
        self.copied.add(operation)

    def _rows_of(self, drawn: Tensor, sizes: List[Tensor]) -> List[Tensor]:
        """Returns the rows of each tower; a tower without examples gets some that another tower has, too."""
        parts = []
        begin: Any = 0
        for size, counted in zip(sizes, self._counted(sizes)):
            if self.counts is None:
                parts.append(drawn[begin : begin + size])
            else:
                first = tf.minimum(begin, tf.cast(tf.shape(drawn)[0], size.dtype) - size)
                parts.append(drawn[first : first + size])
            begin = begin + counted
        return parts

    def _counted(self, sizes: List[Tensor]) -> List[Tensor]:
        """Returns 0 for a tower without examples."""
        if self.counts is None:
            return sizes
        return [size * tf.cast(count, size.dtype) for size, count in zip(sizes, self.counts)]

    # Batches whose size the graph has fixed.

    def _fit(self, operation: Operation) -> None:
        """Fits the constants of an operation to the rows of a tower."""
        assert self._size is not None
        rows, number = self._size, len(self.devices)
        if self._regions.loops(operation):
            refuse("a tf.while_loop over a batch of a fixed size, {}, has it in its constants: leave the first "
                   "dimension of its inputs unknown (None){}".format(rows, self._or_whole_batches()), operation)
        for index, tensor in enumerate(operation.inputs):
            if tensor.op not in self._regions.dependent and self._rows.is_aligned(operation, index):
                with tf.device(tensor.op.device):
                    self._overrides[operation, index] = tf.split(tensor, number)
        index = _SHAPES.get(operation.type, -1)
        if index < 0 or operation.inputs[index].op in self._regions.dependent:
            return
        value = tf.get_static_value(operation.inputs[index])
        is_rows = operation.outputs[0] in self._rows
        if value is None or not is_rows or not value.size or int(value[0]) <= 0 or int(value[0]) % rows:
            return
        fitted = value.copy()
        fitted[0] //= number
        self._overrides[operation, index] = [tf.constant(fitted, operation.inputs[index].dtype)] * number

    def _check_rows(self, operation: Operation) -> None:
        for output in operation.outputs:
            if output not in self._rows or not output.shape.ndims:
                continue
            expected = tf.dimension_value(output.shape[0])
            for copy in self._operations[operation]:
                found = tf.dimension_value(copy.outputs[output.value_index].shape[0]) if copy.outputs[
                    output.value_index].shape.ndims else None
                if expected is not None and found is not None and found * len(self.devices) != expected:
                    refuse("the batch size {} is a constant in it, so that a tower with {} examples can't have "
                           "it{}".format(self._size, (self._size or 0) // len(self.devices),
                                         self._or_whole_batches()), operation)

    def _or_whole_batches(self) -> str:
        """Returns the other remedy for a batch of a fixed size, where there is one."""
        if self._is_fed:
            return ""
        return ", or pass --keep per-tower (keep='per-tower'), where each tower reads a batch of this size"
