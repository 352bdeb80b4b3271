"""Operations on the towers' copies of variables: set them equal, average them, and check that they are equal."""
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.tensor_types import Operation, Session, Variable
from legacy_towers.variables.means_over_workers import means_over_workers
from legacy_towers.variables.tower_variables import CopiedVariable, TowerVariables, variables_in

# How many differing copies an error describes.
_MAX_DESCRIBED = 5


class _Pair(NamedTuple):
    """A copy and the plain-named variable that it should equal, as tensors that a session can fetch."""

    name: str
    tower: int
    plain: Variable
    copy: Any
    differs: Any


class CopyOperations:
    """Operations on all copies in a graph.

    Args:
      variables: the copies. Operations are created when they are first needed, and again if there are more copies
        since; in a finalized graph they must exist already.
    """

    def __init__(self, variables: TowerVariables) -> None:
        self._variables = variables
        self._made: Dict[str, Any] = {}
        self._covered = -1
        self._in_use: Optional[Any] = None
        if variables.center:
            # A local variable, so that initializing the copies resets this too: MonitoredTrainingSession does so after
            # it has restored, and saves before it calls any hook of the step.
            self._in_use = tf.Variable(
                False,
                trainable=False,
                collections=[tf.GraphKeys.LOCAL_VARIABLES],
                name="copies_in_use",
                use_resource=True,
            )

    def prepare(self) -> None:
        """Creates all operations, before the graph is finalized."""
        self.copies_from_plain()
        self.plain_from_mean()
        self.pairs()

    def copies_from_plain(self) -> Any:
        """Returns the operation that writes each plain-named variable into the towers' copies."""

        def make() -> Any:
            with tf.control_dependencies(list(map(_copies_from_plain, self._variables.copied()))):
                return self.mark_in_use() if self._variables.workers is None else self.mark_averaged(True)

        return self._created_once("copies_from_plain", make)

    def plain_from_mean(self) -> Any:
        """Returns the operation that writes the mean of the training towers' copies into the plain-named variables.

        It does nothing while copies have their initial values: then the plain-named variables are the current ones.
        Over workers it never does anything: the mean would need all of them.
        """
        if self._variables.workers is not None:
            return self._created_once("plain_from_mean", tf.no_op)

        def gather() -> Any:
            return tf.group(*map(self._gather, self._variables.copied()))

        def make() -> Any:
            in_use = True if self._in_use is None else self._in_use.read_value()
            return tf.group(tf.cond(tf.convert_to_tensor(in_use), gather, tf.no_op))

        return self._created_once("plain_from_mean", make)

    def mark_in_use(self) -> Any:
        """Returns a new operation that records that copies have other values than their initial ones."""
        return tf.no_op() if self._in_use is None else tf.assign(self._in_use, True).op

    def mark_averaged(self, is_averaged: Any) -> Any:
        """Returns a new operation that records whether the plain-named variables hold the mean over all workers."""
        return tf.no_op() if self._in_use is None else tf.assign(self._in_use, tf.logical_not(is_averaged)).op

    def is_averaged(self, session: Session) -> bool:
        """Returns whether the plain-named variables hold the mean, or can be set to it by this process alone."""
        return self._variables.workers is None or self._in_use is None or not session.run(self._in_use)

    def average(self) -> Any:
        """Returns a new operation that writes the mean into the plain-named variables and into every copy.

        Over workers it is the mean of all their towers: all workers must run it together.
        """
        groups = self._variables.copied()
        means = [self._mean(group) for group in groups]
        if self._variables.workers is not None:
            means = means_over_workers(means, [group.plain for group in groups], self._variables.workers)
        writes = []
        for group, mean in zip(groups, means):
            writes += [_write(variable, mean) for variable in [group.plain] + group.others()]
        return tf.group(*writes)

    def check_equal(self, session: Session) -> None:
        """Raises TowerError unless each tower's copy equals the plain-named variable, bit for bit."""
        pairs = self.pairs()
        if not pairs:
            return
        differing = [pair for pair, differs in zip(pairs, session.run([pair.differs for pair in pairs])) if differs]
        if differing:
            values = session.run([(pair.plain, pair.copy) for pair in differing[:_MAX_DESCRIBED]])
            sentences = [_difference(pair, *value) for pair, value in zip(differing, values)]
            if len(differing) > _MAX_DESCRIBED:
                sentences.append("and {} more".format(len(differing) - _MAX_DESCRIBED))
            raise TowerError(
                "the towers' copies of variables differ: {}. Something wrote one tower's copy alone; set them equal "
                "by lt.variables.synchronize(session)".format("; ".join(sentences))
            )

    def _gather(self, group: CopiedVariable) -> Any:
        return _write(group.plain, self._mean(group))

    def _mean(self, group: CopiedVariable) -> Any:
        training = [tower for tower in sorted(group.copies) if tower in self._variables.training]
        sources = [group.copies[tower] for tower in training] or [group.plain]
        dtype = group.plain.dtype.base_dtype
        if len(sources) == 1 or not (dtype.is_floating or dtype.is_complex):
            return sources[0].read_value()
        values = [source.read_value() for source in sources]
        with tf.device(group.plain.device):
            mean = tf.multiply(tf.add_n(values), tf.constant(1.0 / len(values), dtype))
            # By rounding the mean of three equal numbers can differ from them: untrained variables must not change.
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

        return list(self._created_once("pairs", make))

    def _created_once(self, name: str, make: Callable[[], Any]) -> Any:
        covered = sum(len(group.copies) for group in self._variables.copied())
        if covered != self._covered:
            self._covered, self._made = covered, {}
        if name not in self._made:
            with tf.name_scope("copies/"):
                self._made[name] = make()
        return self._made[name]


def synchronize(session: Session) -> None:
    """Sets every tower's copies to the plain-named variables, slots and batch-norm statistics included.

    A step's hooks do this at the start of a session. Call it if something else wrote the plain-named variables alone,
    such as your own `tf.train.Saver` that restored them during a session. If towers share variables, it does nothing.

    Args:
      session: a tf.Session or a MonitoredSession.

    Raises:
      ArgumentError: the graph is finalized, and no hook of the step has created the operations.
    """
    for variables in variables_in(session.graph):
        _in_bare_session(session, _runner(_prepared(session, variables, CopyOperations.copies_from_plain)))


def check_copies(session: Session) -> None:
    """Raises TowerError unless each tower's copy equals tower 0's, bit for bit; names variable, tower and difference.

    NaN equals NaN here. With `lt.variables.LocalSGD` the copies differ by design.

    Args:
      session: a tf.Session or a MonitoredSession.

    Raises:
      ArgumentError: the graph is finalized, and no hook of the step has created the operations.
    """
    for variables in variables_in(session.graph):
        _prepared(session, variables, CopyOperations.pairs)
        _in_bare_session(session, operations_of(variables).check_equal)


def operations_of(variables: TowerVariables) -> CopyOperations:
    """Returns the operations on the copies of a graph, the same object for the same copies."""
    if variables.operations is None:
        variables.operations = CopyOperations(variables)
    return variables.operations


def _prepared(session: Session, variables: TowerVariables, operation: Callable[[CopyOperations], Any]) -> Any:
    with session.graph.as_default():
        try:
            return operation(operations_of(variables))
        except RuntimeError as error:
            if not session.graph.finalized:
                raise
            raise ArgumentError(
                "the graph is finalized, so nothing can be added to it ({}): add the step's hooks to the "
                "session, or call this once before the graph is finalized".format(error)
            ) from None


def _in_bare_session(session: Session, action: Callable[[Any], Any]) -> None:
    """Calls `action` with the session inside a MonitoredSession, whose hooks would take a batch for each run."""
    if hasattr(session, "run_step_fn"):
        session.run_step_fn(lambda step_context: action(step_context.session))
    else:
        action(session)


def _runner(operation: Operation) -> Callable[[Any], Any]:
    return lambda session: session.run(operation)


def _copies_from_plain(group: CopiedVariable) -> Any:
    return tf.group(*[_write(copy, group.plain.read_value()) for copy in group.others()])


def _write(variable: Variable, value: Any) -> Any:
    with tf.device(variable.device):
        return tf.assign(variable, value).op


def _pair(group: CopiedVariable, tower: int) -> _Pair:
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
    """Returns the bytes of each number, along an additional last axis if there are several: GPUs compare no int32."""
    return tf.cast(value, tf.uint8) if value.dtype.base_dtype == tf.bool else tf.bitcast(value, tf.uint8)


def _is_nan(value: Any) -> Any:
    return tf.is_nan(tf.cast(value, tf.float32) if value.dtype.base_dtype == tf.bfloat16 else value)


def _difference(pair: _Pair, plain: Variable, copy: Variable) -> str:
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
