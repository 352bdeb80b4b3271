"""Large variables cut into parts, around a strategy that says where each part lives."""
import functools
import inspect
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.lookups import check_lookups


class Partitioned(Strategy):
    """Variables of more than `max_part_bytes` are cut by rows; the parts live where `strategy` puts them, one by one.

        Partitioned(Balanced(devices), max_part_bytes=64 << 20)

        table, 10 rows, 2.5 times too large:   table/part_0  rows 0 to 3
                                               table/part_1  rows 4 to 6
                                               table/part_2  rows 7 to 9

    Into the fewest parts that are small enough, of as equal size as can be: one number says which variables are cut and
    into how many. Rows (axis 0) are what embedding lookups and checkpoints need. A variable with fewer rows than that,
    such as a convolution's kernel, is cut into single rows. Others stay whole, and so do scalars, variables whose shape
    isn't known before their first value, and those that `tf.get_variable` doesn't make, such as a `tf.Variable`.

    Best where one embedding is too large for a device, or so large that its device does most of the work. A weight
    that is used as a whole, by a product of matrices, is put together again in every tower and step: keep it whole.

    A variable that was cut is TensorFlow's PartitionedVariable. Look up its rows by `tf.nn.embedding_lookup(...,
    partition_strategy="div")`: with TensorFlow's default, "mod", the parts would hold other rows than the whole
    variable does, and a checkpoint could be restored into as many parts only; `lt.replicate` refuses it. A
    checkpoint holds it as one variable, which restores into whole ones and into any number of parts. Its first values
    are those of the whole variable, made on the CPU and then cut. A regularizer and a constraint get each part by
    itself. A partitioner of the model's own, in a variable scope or in `get_variable`, wins.

    Args:
      strategy: where parts and other variables live: `ParameterServer`, `RoundRobin` or `Balanced`.
      max_part_bytes: the size up to which a variable stays whole.

    Raises:
      ArgumentError: `strategy` is none, has copies per tower or cuts variables already; or no byte is allowed.
    """

    def __init__(self, strategy: Strategy, max_part_bytes: int = 64 << 20) -> None:
        if not isinstance(strategy, Strategy):
            raise ArgumentError(
                "Partitioned({!r}): give the strategy that places the parts, such as "
                "Partitioned(lt.variables.Balanced(devices))".format(strategy)
            )
        if strategy.copies or strategy.partitioner is not None or strategy.updates != "reduced":
            raise ArgumentError(
                "Partitioned({!r}): give a strategy that only places variables: ParameterServer, RoundRobin or "
                "Balanced".format(strategy)
            )
        if isinstance(max_part_bytes, bool) or not isinstance(max_part_bytes, int) or max_part_bytes < 1:
            raise ArgumentError("max_part_bytes is {!r}: a whole number of at least 1 is needed".format(max_part_bytes))
        self.strategy = strategy
        self.max_part_bytes = max_part_bytes
        self.partitioner = functools.partial(_parts_per_axis, max_part_bytes)

    def placer(self) -> Placer:
        return self.strategy.placer()

    def __repr__(self) -> str:
        return "Partitioned({!r}, max_part_bytes={})".format(self.strategy, self.max_part_bytes)


def _parts_per_axis(max_part_bytes: int, shape: Any, dtype: Any) -> List[int]:
    """Returns the number of parts per axis, 1 but for the first, as `tf.variable_scope(partitioner=)` wants it."""
    sizes = tf.TensorShape(shape).as_list()
    total = tf.TensorShape(shape).num_elements() * tf.as_dtype(dtype).size
    if not sizes or total <= max_part_bytes:
        return [1] * len(sizes)
    rows = sizes[0]
    rows_per_part = max(1, max_part_bytes * rows // total)
    return [-(-rows // rows_per_part)] + [1] * (len(sizes) - 1)


class _Cut(NamedTuple):
    """What was made of a variable."""

    shape: Any  # of the whole
    counts: List[int]  # parts per axis
    parts: List[Any]


class Cutter:
    """Cuts variables in one graph, as a custom getter does.

    With the partitioner alone, TensorFlow would make a PartitionedVariable of every variable, of one part where it is
    to stay whole, and let each part draw its first values anew.

    Args:
      partitioner: of a strategy: a function of (shape, dtype) that returns the number of parts per axis; None leaves
        all variables whole.
    """

    def __init__(self, partitioner: Optional[Callable[..., Any]]) -> None:
        self._partitioner = partitioner
        self._cut: Dict[str, _Cut] = {}

    def scope_options(self) -> Dict[str, Any]:
        """Returns keyword arguments for the `tf.variable_scope` of the model."""
        if self._partitioner is None:
            return {}
        return {"partitioner": self._partitioner, "custom_getter": self._get}

    def check_lookups(self) -> None:
        """Raises TowerError if rows of a cut variable are looked up in another order than the whole variable's."""
        check_lookups({name: cut.parts for name, cut in self._cut.items()})

    def _get(self, getter: Callable[..., Any], name: str, **options: Any) -> Any:
        if options.get("partitioner") is not self._partitioner:
            return getter(name, **options)  # one of the model's own, or, for batch statistics, none
        if name in self._cut:
            known = self._cut[name]
            shape = known.shape if options.get("shape") is None else options["shape"]
            return getter(name, **dict(options, shape=shape, partitioner=_always(known.counts)))
        shape, dtype = _shape_and_dtype(options)
        counts = self._counts(shape, dtype)
        if counts is None:
            return getter(name, **dict(options, partitioner=None))
        initializer = _cut_initializer(name, options, shape, dtype, max(counts))
        whole = dict(options, shape=shape, dtype=dtype, initializer=initializer)
        made = getter(name, **dict(whole, partitioner=_always(counts)))
        self._cut[name] = _Cut(shape, counts, list(made))
        return made

    def _counts(self, shape: Any, dtype: Any) -> Optional[List[int]]:
        if self._partitioner is None or not shape.is_fully_defined() or not shape.ndims:
            return None
        counts = list(self._partitioner(shape=shape, dtype=dtype))
        return counts if max(counts) > 1 else None


def _always(counts: List[int]) -> Callable[..., List[int]]:
    return lambda shape, dtype: counts


def _shape_and_dtype(options: Dict[str, Any]) -> Tuple[Any, Any]:
    """Returns those of the whole variable; where get_variable is given a first value, they are its."""
    initializer = options.get("initializer")
    shape, dtype = options.get("shape"), options["dtype"]
    if initializer is not None and not callable(initializer):
        shape = initializer.shape if isinstance(initializer, tf.Tensor) else np.shape(initializer)
        dtype = getattr(initializer, "dtype", dtype)
    return tf.TensorShape(shape), tf.as_dtype(dtype).base_dtype


def _cut_initializer(name: str, options: Dict[str, Any], shape: Any, dtype: Any, parts: int) -> Any:
    """Returns an initializer of parts: they are cut from what the whole variable would begin with.

    An initializer with a seed of its own would else begin each part with the same values, and one with a constant
    array can't make parts at all. None, TensorFlow's default, stays: it has no seed, and knows the whole shape.
    """
    initializer = options.get("initializer")
    if initializer is None or options.get("reuse") is True:
        return None
    # On the host: where the whole is too large for a tower's device, the host has room.
    with tf.init_scope(), tf.device("/cpu:0"), tf.name_scope(name + "/Initializer/"):
        whole = _first_value(initializer, shape, dtype)
        sizes = [shape.as_list()[0] // parts + (number < shape.as_list()[0] % parts) for number in range(parts)]
        pieces = dict(zip(np.cumsum([0] + sizes), tf.split(whole, sizes)))  # number of the first row -> rows

    def initial_value(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return pieces[partition_info.var_offset[0]]

    return initial_value


def _first_value(initializer: Any, shape: Any, dtype: Any) -> Any:
    if not callable(initializer):
        return tf.convert_to_tensor(initializer)
    make: Any = initializer() if inspect.isclass(initializer) else initializer
    # TF 1.15 tells every initializer of the part that is wanted, 2.x those that ask.
    whole = {"partition_info": None} if "partition_info" in inspect.signature(make).parameters else {}
    return make(shape.as_list(), dtype=dtype, **whole)
