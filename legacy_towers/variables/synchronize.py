"""Makes towers' copies equal again, takes their mean, and tells which of them have drifted apart."""
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.variables.copies import Copied, TowerVariables, variables_in

# How many drifted variables an error tells of.
_MOST = 5


class _Pair(NamedTuple):
    """A copy and the plain-named variable that it should equal, as tensors that a session can fetch."""

    name: str
    tower: int
    plain: Any
    copy: Any
    differs: Any


class CopyOperations:
    """Operations on all copies of a graph.

    Args:
      variables: which copies there are. They are looked at again whenever an operation is asked for, and operations
        made anew where there are more since; in a finalized graph they must have been made before.
    """

    def __init__(self, variables: TowerVariables) -> None:
        self._variables = variables
        self._made: Dict[str, Any] = {}
        self._covered = -1
        self._in_use: Optional[Any] = None
        if variables.center:
            # A local variable, so that what initializes the copies takes this back too: MonitoredTrainingSession does
            # so after it has restored, and saves before it asks any hook of the step.
            self._in_use = tf.Variable(
                False,
                trainable=False,
                collections=[tf.GraphKeys.LOCAL_VARIABLES],
                name="copies_in_use",
                use_resource=True,
            )

    def prepare(self) -> None:
        """Makes all operations, before the graph is finalized."""
        self.copies_from_plain()
        self.plain_from_mean()
        self.pairs()

    def copies_from_plain(self) -> Any:
        """Returns the operation that writes each plain-named variable into the towers' copies."""

        def make() -> Any:
            with tf.control_dependencies(list(map(_spread, self._variables.copied()))):
                return self.use()

        return self._once("copies_from_plain", make)

    def plain_from_mean(self) -> Any:
        """Returns the operation that writes the mean of the training towers' copies into the plain-named variables.

        It does nothing where copies are as they were initialized: then the plain-named variables are what counts.
        """

        def gather() -> Any:
            return tf.group(*map(self._gather, self._variables.copied()))

        def make() -> Any:
            in_use = True if self._in_use is None else self._in_use.read_value()
            return tf.group(tf.cond(tf.convert_to_tensor(in_use), gather, tf.no_op))

        return self._once("plain_from_mean", make)

    def use(self) -> Any:
        """Returns a new operation that takes note that copies hold more than what they were initialized with."""
        return tf.no_op() if self._in_use is None else tf.assign(self._in_use, True).op

    def average(self) -> Any:
        """Returns a new operation that writes the mean into the plain-named variables and into every copy."""
        writes = []
        for group in self._variables.copied():
            mean = self._mean(group)
            writes += [_write(variable, mean) for variable in [group.plain] + group.others()]
        return tf.group(*writes)

    def check_equal(self, session: Any) -> None:
        """Raises TowerError if a tower's copy is not bit for bit what the plain-named variable is."""
        pairs = self.pairs()
        if not pairs:
            return
        drifted = [pair for pair, differs in zip(pairs, session.run([pair.differs for pair in pairs])) if differs]
        if drifted:
            values = session.run([(pair.plain, pair.copy) for pair in drifted[:_MOST]])
            sentences = [_drift(pair, *value) for pair, value in zip(drifted, values)]
            if len(drifted) > _MOST:
                sentences.append("and {} more".format(len(drifted) - _MOST))
            raise TowerError(
                "the towers' variables have drifted apart: {}. Something wrote one tower's copy alone; make them equal "
                "by lt.variables.synchronize(session)".format("; ".join(sentences))
            )

    def _gather(self, group: Copied) -> Any:
        return _write(group.plain, self._mean(group))

    def _mean(self, group: Copied) -> Any:
        training = [tower for tower in sorted(group.copies) if tower in self._variables.training]
        sources = [group.copies[tower] for tower in training] or [group.plain]
        dtype = group.plain.dtype.base_dtype
        if len(sources) == 1 or not (dtype.is_floating or dtype.is_complex):
            return sources[0].read_value()
        values = [source.read_value() for source in sources]
        with tf.device(group.plain.device):
            mean = tf.multiply(tf.add_n(values), tf.constant(1.0 / len(values), dtype))
            # By rounding the mean of three equal numbers can be another one: what nothing trains must stay as it is.
            same = [tf.equal(values[0], value) for value in values[1:]]
            return tf.where(functools.reduce(tf.logical_and, same), values[0], mean)

    def pairs(self) -> List[_Pair]:
        """Returns each copy with the plain-named variable that it should equal."""

        def make() -> List[_Pair]:
            return [
                _pair(group, tower)
                for group in self._variables.copied()
                for tower in sorted(group.copies)
                if group.copies[tower] is not group.plain
            ]

        return list(self._once("pairs", make))

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        covered = sum(len(group.copies) for group in self._variables.copied())
        if covered != self._covered:
            self._covered, self._made = covered, {}
        if name not in self._made:
            with tf.name_scope("copies/"):
                self._made[name] = make()
        return self._made[name]


def synchronize(session: Any) -> None:
    """Makes every tower's copies equal to the plain-named variables, slots and batch-norm statistics too.

    A step's hooks do so at the start of a session. It is needed where something else wrote the plain-named variables
    alone: a `tf.train.Saver` of the caller's that restored them in the middle of a session. Where towers share
    variables, nothing is done.

    Raises:
      ArgumentError: the graph is finalized, and no hook of the step prepared for this.
    """
    for variables in variables_in(session.graph):
        _in_bare_session(session, _runner(_prepared(session, variables, CopyOperations.copies_from_plain)))


def check_copies(session: Any) -> None:
    """Raises TowerError if a tower's copy is not bit for bit equal to tower 0's; names variable, tower and difference.

    NaN equals NaN here. Where towers train by themselves (`lt.variables.Independent`) their copies differ on purpose.

    Raises:
      ArgumentError: the graph is finalized, and no hook of the step prepared for this.
    """
    for variables in variables_in(session.graph):
        _prepared(session, variables, CopyOperations.pairs)
        _in_bare_session(session, operations_of(variables).check_equal)


def operations_of(variables: TowerVariables) -> CopyOperations:
    """Returns the operations on the copies of a graph; always the same for the same copies."""
    if variables.operations is None:
        variables.operations = CopyOperations(variables)
    return variables.operations


def _prepared(session: Any, variables: TowerVariables, operation: Callable[[CopyOperations], Any]) -> Any:
    with session.graph.as_default():
        try:
            return operation(operations_of(variables))
        except RuntimeError as error:
            if not session.graph.finalized:
                raise
            raise ArgumentError(
                "the graph is finalized, so nothing can be added to it ({}): let the step's hooks take part in the "
                "session, or call this once before the graph is finalized".format(error)
            ) from None


def _in_bare_session(session: Any, action: Callable[[Any], Any]) -> None:
    """Calls `action` with the session inside a MonitoredSession, whose hooks would take a batch for each run."""
    if hasattr(session, "run_step_fn"):
        session.run_step_fn(lambda step_context: action(step_context.session))
    else:
        action(session)


def _runner(operation: Any) -> Callable[[Any], Any]:
    return lambda session: session.run(operation)


def _spread(group: Copied) -> Any:
    return tf.group(*[_write(copy, group.plain.read_value()) for copy in group.others()])


def _write(variable: Any, value: Any) -> Any:
    with tf.device(variable.device):
        return tf.assign(variable, value).op


def _pair(group: Copied, tower: int) -> _Pair:
    plain, copy = group.plain.read_value(), group.copies[tower].read_value()
    with tf.device(group.copies[tower].device):
        return _Pair(str(group.plain.op.name), tower, plain, copy, tf.logical_not(_bit_equal(plain, copy)))


def _bit_equal(one: Any, other: Any) -> Any:
    dtype = one.dtype.base_dtype
    if dtype == tf.string:
        return tf.reduce_all(tf.equal(one, other))
    same = tf.equal(_bytes(one), _bytes(other))
    if dtype.size > 1:
        same = tf.reduce_all(same, axis=-1)
    if dtype.is_floating:
        same = tf.logical_or(same, tf.logical_and(_is_nan(one), _is_nan(other)))
    return tf.reduce_all(same)


def _bytes(value: Any) -> Any:
    """Returns the bytes of each number, along a last axis where there are several: GPUs compare no int32."""
    return tf.cast(value, tf.uint8) if value.dtype.base_dtype == tf.bool else tf.bitcast(value, tf.uint8)


def _is_nan(value: Any) -> Any:
    return tf.is_nan(tf.cast(value, tf.float32) if value.dtype.base_dtype == tf.bfloat16 else value)


def _drift(pair: _Pair, plain: Any, copy: Any) -> str:
    plain, copy = np.asarray(plain), np.asarray(copy)
    if plain.dtype.kind not in "fciub":
        return "tower {}'s copy of {!r} differs from it".format(pair.tower, pair.name)
    with np.errstate(all="ignore"):
        distances = np.abs(plain.astype(np.complex128) - copy.astype(np.complex128))
    both = np.logical_and(plain != plain, copy != copy)
    differ = np.logical_and(_rows_of_bytes(plain) != _rows_of_bytes(copy), np.logical_not(both.reshape([-1])))
    return "tower {}'s copy of {!r} differs from it in {} of {} numbers, by at most {:.3g}".format(
        pair.tower, pair.name, int(np.sum(differ)), plain.size, np.max(np.where(both, 0.0, distances))
    )


def _rows_of_bytes(array: Any) -> Any:
    """Returns a vector with an opaque value per number, equal where its bytes are."""
    return np.ascontiguousarray(array).reshape([-1]).view("V{}".format(array.dtype.itemsize))
