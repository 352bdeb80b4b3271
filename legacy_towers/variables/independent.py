"""Towers that train by themselves and meet every so many steps: local SGD."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.copies import TowerVariables
from legacy_towers.variables.own_device import OwnDevicePlacer
from legacy_towers.variables.synchronize import CopyOperations, operations_of


class Independent(Strategy):
    """Each tower applies its own gradients to its own copy; every `sync_every` steps all copies become their mean.

        step         1          2          3 = sync_every
        tower 0   w -> w0a   -> w0b   -> w0c \\             / w
        tower 1   w -> w1a   -> w1b   -> w1c -> mean(w0c, w1c) -> w   -> ...

    The mean is also that of optimizer slots and batch-norm statistics; of whole numbers it is the first training
    tower's. Towers on validation take the mean, and add nothing to it. All that train count the same in it, whatever
    number of examples each had since they last met: where the input counts true examples, a tower without any stays
    where it is, and weighs as much as the others all the same. That goes for the gradients of shared variables too.

    The plain-named variables are of no tower: they hold the mean of the last time that copies met, or that a checkpoint
    was saved. `MeanSaver`, which the step puts into the collection SAVERS, takes the mean before it saves, without
    touching the copies; MonitoredTrainingSession saves by it. A checkpoint so goes to every other strategy. At the
    start of a session all copies are made equal to the plain-named variables, and at its end these take the mean.
    Moving averages over time are of the plain-named variables too: they move in each step, after the towers have met
    where they do.

    Variables made before the towers, outside of the model function, are shared; the mean of the towers' gradients is
    applied to them in each step.

    Args:
      sync_every: after how many steps, by the global step, the copies meet.

    Raises:
      ArgumentError: `sync_every` is no whole number of at least 1.

    Source: McDonald, Hall, Mann: Distributed Training Strategies for the Structured Perceptron (2010), iterative
    parameter mixing; Stich: Local SGD Converges Fast and Communicates Little (2018).
    """

    copies = True
    center = True
    updates = "own"

    def __init__(self, sync_every: int) -> None:
        if isinstance(sync_every, bool) or not isinstance(sync_every, int) or sync_every < 1:
            raise ArgumentError(
                "Independent(sync_every={!r}): give a whole number of steps, of at least 1".format(sync_every)
            )
        self.sync_every = sync_every

    def placer(self) -> Placer:
        return OwnDevicePlacer()

    def after_step(self, variables: TowerVariables, global_step: Any) -> Optional[Any]:
        step = tf.identity(global_step.read_value())
        due = tf.equal(tf.floormod(step, tf.constant(self.sync_every, step.dtype.base_dtype)), 0)
        operations = operations_of(variables)
        return tf.group(tf.cond(due, operations.average, tf.no_op, name="meet"), operations.use())

    def attach(self, variables: TowerVariables) -> List[Any]:
        savers = tf.get_collection_ref(tf.GraphKeys.SAVERS)
        if any(not isinstance(saver, MeanSaver) for saver in savers):
            raise ArgumentError(
                "{!r}: the graph has a Saver in its collection SAVERS, which would save what the towers had when they "
                "last met: put lt.variables.MeanSaver(variables) there instead, or nothing".format(self)
            )
        if not savers:
            savers.append(MeanSaver(variables, defer_build=True, sharded=True, allow_empty=True))
        return [MeetingHook(variables)]

    def __repr__(self) -> str:
        return "Independent(sync_every={})".format(self.sync_every)


class MeanSaver(tf.train.Saver):
    """A `tf.train.Saver` whose checkpoints hold the mean of the towers' copies.

    Saving writes the mean into the plain-named variables first, and leaves the copies as they are; restoring writes
    what was restored into the copies too.

    Args:
      variables: of the towers: `step.towers[0].variables`.
      options: as for `tf.train.Saver`.
    """

    def __init__(self, variables: TowerVariables, *arguments: Any, **options: Any) -> None:
        self._tower_variables = variables
        super().__init__(*arguments, **options)

    def build(self) -> None:
        operations_of(self._tower_variables).prepare()
        super().build()

    def save(self, sess: Any, *arguments: Any, **options: Any) -> Any:
        sess.run(operations_of(self._tower_variables).plain_from_mean())
        return super().save(sess, *arguments, **options)

    def restore(self, sess: Any, save_path: Any) -> None:
        super().restore(sess, save_path)
        sess.run(operations_of(self._tower_variables).copies_from_plain())


class MeetingHook(tf.train.SessionRunHook):
    """Makes the copies equal to the plain-named variables when a session starts; these take the mean when it ends."""

    def __init__(self, variables: TowerVariables) -> None:
        self._variables = variables
        self._operations: Optional[CopyOperations] = None

    def begin(self) -> None:
        self._operations = operations_of(self._variables)
        self._operations.prepare()

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._made().copies_from_plain())

    def end(self, session: Any) -> None:
        session.run(self._made().plain_from_mean())

    def _made(self) -> CopyOperations:
        if self._operations is None:
            raise ArgumentError("the hook of Independent(...) was not begun: a session calls hook.begin() first")
        return self._operations
