"""`Partitioned`: large variables split into parts, which another strategy places."""
import functools
import inspect
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import DType, Tensor
from legacy_towers.variables.base import Placer, Strategy

# Ops that return a variable's value, or the same rows.
_PASSES_ON = frozenset(["ReadVariableOp", "Identity", "Cast", "Enter", "RefEnter", "Switch", "RefSwitch"])
_GATHERS = frozenset(["ResourceGather", "GatherV2", "Gather"])


class Partitioned(Strategy):
    """Splits variables of more than `max_part_bytes` by rows; `strategy` places the parts, one by one.

        Partitioned(Balanced(devices), max_part_bytes=64 << 20)

        table, 10 rows, 2.5 times too large:   table/part_0  rows 0 to 3
                                               table/part_1  rows 4 to 6
                                               table/part_2  rows 7 to 9

    A variable is split into the fewest parts that are small enough, of sizes as equal as possible. Rows (axis 0) are
    what embedding lookups and checkpoints need. A variable with fewer rows than parts needed, such as a convolution's
    kernel, is split into single rows. Smaller variables stay whole, and so do scalars, variables whose shape is not
    known before their initial value, and those that `tf.get_variable` does not create, such as a `tf.Variable`.

    Best if one embedding is too large for a device, or so large that its device does most of the work. A weight that is
    used as a whole, by a matrix product, is concatenated again in every tower and step: keep it whole.

    A partitioned variable is TensorFlow's PartitionedVariable. Look up its rows by `tf.nn.embedding_lookup(...,
    partition_strategy="div")`: with TensorFlow's default, "mod", the parts would contain other rows than the whole
    variable, and a checkpoint could only be restored into the same number of parts; `lt.replicate` rejects it. A
    checkpoint contains it as one variable, which can be restored into a whole one and into any number of parts. Its
    initial values are those of the whole variable, created on the CPU and then split. Regularizers and constraints are
    called for each part. A partitioner of the model, in a variable scope or in `get_variable`, takes precedence.

    Args:
      strategy: the strategy that places parts and other variables: `ParameterServer`, `RoundRobin` or `Balanced`.
      max_part_bytes: the size in bytes up to which a variable stays whole, an integer of at least 1.

    Raises:
      ArgumentError: `strategy` is not a strategy, has copies per tower, or partitions variables already; or
        `max_part_bytes` is not an integer of at least 1.
    """

    def __init__(self, strategy: Strategy, max_part_bytes: int = 64 << 20) -> None:
        if not isinstance(strategy, Strategy):
            raise ArgumentError(
                "Partitioned({!r}): pass the strategy that places the parts, such as "
                "Partitioned(lt.variables.Balanced(devices))".format(strategy)
            )
        if strategy.copies or strategy.partitioner is not None or strategy.updates != "reduced":
            raise ArgumentError(
                "Partitioned({!r}): pass a strategy that only places variables: ParameterServer, RoundRobin or "
                "Balanced".format(strategy)
            )
        if isinstance(max_part_bytes, bool) or not isinstance(max_part_bytes, int) or max_part_bytes < 1:
            raise ArgumentError("max_part_bytes is {!r}: it must be an integer of at least 1".format(max_part_bytes))
        self.strategy = strategy
        self.max_part_bytes = max_part_bytes
        self.partitioner = functools.partial(_parts_per_axis, max_part_bytes)

    def placer(self) -> Placer:
        return self.strategy.placer()

    def __repr__(self) -> str:
        return "Partitioned({!r}, max_part_bytes={})".format(self.strategy, self.max_part_bytes)


def _parts_per_axis(max_part_bytes: int, shape: Any, dtype: DType) -> List[int]:
    """Returns the number of parts per axis, 1 for all but the first, as `tf.variable_scope(partitioner=)` expects."""
    sizes = tf.TensorShape(shape).as_list()
    total = tf.TensorShape(shape).num_elements() * tf.as_dtype(dtype).size
    if not sizes or total <= max_part_bytes:
        return [1] * len(sizes)
    rows = sizes[0]
    rows_per_part = max(1, max_part_bytes * rows // total)
    return [-(-rows // rows_per_part)] + [1] * (len(sizes) - 1)


class _Partitioned(NamedTuple):
    """A partitioned variable."""

    shape: Any  # of the whole
    counts: List[int]  # parts per axis
    parts: List[Any]


class PartitionedVariables:
    """Partitions the variables of one graph, as a custom getter.

    With the partitioner alone, TensorFlow would create a PartitionedVariable for every variable, with one part if it is
    to stay whole, and initialize each part by itself.

    Args:
      partitioner: of a strategy: a function of (shape, dtype) that returns the number of parts per axis; None: no
        variable is partitioned.
    """

    def __init__(self, partitioner: Optional[Callable[..., Any]]) -> None:
        self._partitioner = partitioner
        self._partitioned: Dict[str, _Partitioned] = {}

    def scope_options(self) -> Dict[str, Any]:
        """Returns keyword arguments for the `tf.variable_scope` of the model."""
        if self._partitioner is None:
            return {}
        return {"partitioner": self._partitioner, "custom_getter": self._get}

    def check_lookups(self) -> None:
        """Raises TowerError if rows of a partitioned variable are looked up in another order than in a whole one."""
        check_lookups({name: partitioned.parts for name, partitioned in self._partitioned.items()})

    def _get(self, getter: Callable[..., Any], name: str, **options: Any) -> Any:
        if options.get("partitioner") is not self._partitioner:
            return getter(name, **options)  # the model's own partitioner, or None, as for batch-norm statistics
        if name in self._partitioned:
            known = self._partitioned[name]
            shape = known.shape if options.get("shape") is None else options["shape"]
            return getter(name, **dict(options, shape=shape, partitioner=_always(known.counts)))
        shape, dtype = _shape_and_dtype(options)
        counts = self._counts(shape, dtype)
        if counts is None:
            return getter(name, **dict(options, partitioner=None))
        initializer = _split_initializer(name, options, shape, dtype, max(counts))
        whole = dict(options, shape=shape, dtype=dtype, initializer=initializer)
        made = getter(name, **dict(whole, partitioner=_always(counts)))
        self._partitioned[name] = _Partitioned(shape, counts, list(made))
        return made

    def _counts(self, shape: Any, dtype: DType) -> Optional[List[int]]:
        if self._partitioner is None or not shape.is_fully_defined() or not shape.ndims:
            return None
        counts = list(self._partitioner(shape=shape, dtype=dtype))
        return counts if max(counts) > 1 else None


def _always(counts: List[int]) -> Callable[..., List[int]]:
    return lambda shape, dtype: counts


def _shape_and_dtype(options: Dict[str, Any]) -> Tuple[Any, Any]:
    """Returns those of the whole variable; if get_variable is given an initial value, that value's."""
    initializer = options.get("initializer")
    shape, dtype = options.get("shape"), options["dtype"]
    if initializer is not None and not callable(initializer):
        shape = initializer.shape if isinstance(initializer, tf.Tensor) else np.shape(initializer)
        dtype = getattr(initializer, "dtype", dtype)
    return tf.TensorShape(shape), tf.as_dtype(dtype).base_dtype


def _split_initializer(name: str, options: Dict[str, Any], shape: Any, dtype: DType, parts: int) -> Any:
    """Returns an initializer of parts, which splits the initial value of the whole variable.

    An initializer with its own seed would otherwise give each part the same values, and one with a constant array can't
    create parts at all. None, TensorFlow's default, is kept: it has no seed, and uses the whole shape.
    """
    initializer = options.get("initializer")
    if initializer is None or options.get("reuse") is True:
        return None
    # On the CPU: the whole variable can be too large for a tower's device.
    with tf.init_scope(), tf.device("/cpu:0"), tf.name_scope(name + "/Initializer/"):
        whole = _first_value(initializer, shape, dtype)
        sizes = [shape.as_list()[0] // parts + (number < shape.as_list()[0] % parts) for number in range(parts)]
        pieces = dict(zip(np.cumsum([0] + sizes), tf.split(whole, sizes)))  # number of the first row -> rows

    def initial_value(shape: Any, dtype: DType = None, partition_info: Any = None) -> Any:
        return pieces[partition_info.var_offset[0]]

    return initial_value


def _first_value(initializer: Any, shape: Any, dtype: DType) -> Any:
    if not callable(initializer):
        return tf.convert_to_tensor(initializer)
    make: Any = initializer() if inspect.isclass(initializer) else initializer
    # TF 1.15 passes partition_info to every initializer, 2.x to those that have the parameter.
    whole = {"partition_info": None} if "partition_info" in inspect.signature(make).parameters else {}
    return make(shape.as_list(), dtype=dtype, **whole)


def check_lookups(parts: Dict[str, Sequence[Any]]) -> None:
    """Raises TowerError if rows of a partitioned variable are looked up with partition_strategy="mod".

        10 rows in 3 parts   "div": 0 1 2 3 | 4 5 6 | 7 8 9     rows as in the whole variable and in checkpoints
                             "mod": 0 3 6 9 | 1 4 7 | 2 5 8     rows in an order that depends on the number of parts

    Args:
      parts: name of each partitioned variable -> the variables of its parts.
    """
    for name in parts:
        for part in parts[name]:
            for gather in _gathers(part.op.outputs[0]):
                if _is_mod(gather.inputs[1].op):
                    raise TowerError(
                        "{!r} looks up rows of {!r}, which is partitioned into {} parts, with "
                        "partition_strategy=\"mod\" (TensorFlow's default): the parts would hold other rows than the "
                        "whole variable, and its checkpoints could not be restored with another number of parts. Use "
                        "tf.nn.embedding_lookup(..., partition_strategy=\"div\"), or keep it whole by a larger "
                        "max_part_bytes".format(gather.name, name, len(parts[name]))
                    )


def _gathers(tensor: Tensor) -> Iterator[Any]:
    """Yields the operations that gather rows of the value that `tensor` is or refers to."""
    seen = set()
    pending: List[Any] = [tensor]
    while pending:
        current = pending.pop()
        for consumer in current.consumers():
            if consumer.name in seen:
                continue
            seen.add(consumer.name)
            if consumer.type in _GATHERS and consumer.inputs[0] is current:
                yield consumer
            elif consumer.type in _PASSES_ON:
                pending.extend(consumer.outputs)


def _is_mod(indices: Any) -> bool:
    """Returns whether indices were distributed over the parts by their remainder, as by TensorFlow's "mod"."""
    if indices.type != "DynamicPartition":
        return False
    part_of_index = indices.inputs[1].op
    while part_of_index.type in ("Cast", "Identity"):
        part_of_index = part_of_index.inputs[0].op
    return bool(part_of_index.type == "FloorMod")
