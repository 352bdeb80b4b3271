"""`LocalSGD`: towers train on their own copies, which are averaged every `sync_every` steps."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, SaveError
from legacy_towers.tensor_types import Coordinator, Operation, Session, SessionRunHook, Variable
from legacy_towers.variables.base import OwnDevicePlacer, Placer, Strategy
from legacy_towers.variables.synchronize import CopyOperations, operations_of
from legacy_towers.variables.tower_variables import TowerVariables


class LocalSGD(Strategy):
    """Each tower applies its own gradients to its own copy; every `sync_every` steps all copies are set to their mean.

        step         1          2          3 = sync_every
        tower 0   w -> w0a   -> w0b   -> w0c \\             / w
        tower 1   w -> w1a   -> w1b   -> w1c -> mean(w0c, w1c) -> w   -> ...

    Optimizer slots and batch-norm statistics are averaged too; integers take the value of the first training tower.
    Validation towers receive the mean and do not contribute to it. All training towers have the same weight, whatever
    number of examples each had since the last average: if the input counts true examples, a tower without any is not
    updated, and still has the same weight. The same holds for the gradients of shared variables.

    The plain-named variables belong to no tower: they hold the mean of the last synchronization, or of the last
    checkpoint. `MeanSaver`, which the step adds to the collection SAVERS and MonitoredTrainingSession saves by,
    computes the mean before it saves, without changing the copies. So a checkpoint can be restored with every other
    strategy. At the start of a session all copies are set to the plain-named variables, and at its end these are set to
    the mean. Moving averages of variables are those of the plain-named variables: they are updated in each step, after
    a synchronization.

    Variables created before the towers, outside the model function, are shared; the mean of the towers' gradients is
    applied to them in each step.

    Over the workers of a cluster the mean is that of all towers of all workers, and the plain-named variables hold that
    of the last synchronization. A checkpoint needs the mean of all: it can be saved after a step whose number is a
    multiple of `sync_every`, and at the start and the end of a session, where all workers compute it.

    Args:
      sync_every: the number of steps, by the global step, between synchronizations.

    Raises:
      ArgumentError: `sync_every` is not an integer of at least 1.

    Source of the method: Stich 2018, "Local SGD Converges Fast and Communicates Little"; before it McDonald, Hall, Mann
    2010, "Distributed Training Strategies for the Structured Perceptron" (iterative parameter mixing).
    """

    copies = True
    center = True
    updates = "own"

    def __init__(self, sync_every: int) -> None:
        if isinstance(sync_every, bool) or not isinstance(sync_every, int) or sync_every < 1:
            raise ArgumentError(
                "LocalSGD(sync_every={!r}): pass an integer number of steps, at least 1".format(sync_every)
            )
        self.sync_every = sync_every

    def placer(self) -> Placer:
        return OwnDevicePlacer()

    def after_step(self, variables: TowerVariables, global_step: Variable) -> Optional[Operation]:
        step = tf.identity(global_step.read_value())
        due = tf.equal(tf.floormod(step, tf.constant(self.sync_every, step.dtype.base_dtype)), 0)
        operations = operations_of(variables)
        averaged = tf.cond(due, operations.average, tf.no_op, name="average")
        if variables.workers is None:
            return tf.group(averaged, operations.mark_in_use())
        with tf.control_dependencies([averaged]):
            return operations.mark_averaged(due)

    def attach(self, variables: TowerVariables) -> List[SessionRunHook]:
        savers = tf.get_collection_ref(tf.GraphKeys.SAVERS)
        if any(not isinstance(saver, MeanSaver) for saver in savers):
            raise ArgumentError(
                "{!r}: the graph has a Saver in its collection SAVERS, which would save the values of the last "
                "synchronization: put lt.variables.MeanSaver(variables) there instead, or nothing".format(self)
            )
        if not savers:
            savers.append(MeanSaver(variables, defer_build=True, sharded=True, allow_empty=True))
        return [LocalSGDHook(variables)]

    def __repr__(self) -> str:
        return "LocalSGD(sync_every={})".format(self.sync_every)


class MeanSaver(tf.train.Saver):
    """A `tf.train.Saver` whose checkpoints contain the mean of the towers' copies.

    Saving writes the mean into the plain-named variables first, and leaves the copies as they are; restoring writes the
    restored values into the copies too.

    Args:
      variables: the towers' variables: `step.towers[0].variables`.
      options: as for `tf.train.Saver`.

    Raises, when it saves:
      SaveError: the towers are those of several workers, and the step is between two synchronizations.
    """

    def __init__(self, variables: TowerVariables, *arguments: Any, **options: Any) -> None:
        self._tower_variables = variables
        super().__init__(*arguments, **options)

    def build(self) -> None:
        operations_of(self._tower_variables).prepare()
        super().build()

    def save(self, sess: Session, *arguments: Any, **options: Any) -> Any:
        operations = operations_of(self._tower_variables)
        if not operations.is_averaged(sess):
            raise SaveError(
                "between two synchronizations of local SGD no worker has the mean over all workers, which a checkpoint "
                "must hold: save after a step whose number is a multiple of sync_every"
            )
        sess.run(operations.plain_from_mean())
        return super().save(sess, *arguments, **options)

    def restore(self, sess: Session, save_path: Any) -> None:
        super().restore(sess, save_path)
        sess.run(operations_of(self._tower_variables).copies_from_plain())


class LocalSGDHook(tf.train.SessionRunHook):
    """Sets the copies to the plain-named variables when a session starts, and these to the mean when it ends."""

    def __init__(self, variables: TowerVariables) -> None:
        self._variables = variables
        self._operations: Optional[CopyOperations] = None

    def begin(self) -> None:
        self._operations = operations_of(self._variables)
        self._operations.prepare()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        session.run(self._prepared_operations().copies_from_plain())

    def end(self, session: Session) -> None:
        session.run(self._prepared_operations().plain_from_mean())

    def _prepared_operations(self) -> CopyOperations:
        if self._operations is None:
            raise ArgumentError(
                "the hook of LocalSGD(...) was not started: call hook.begin() before the session is created"
            )
        return self._operations
