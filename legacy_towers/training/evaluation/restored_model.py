"""A model on its towers over examples, each of which counts once, to be restored from checkpoints."""
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Sequence, TextIO, Tuple

from legacy_towers import devices
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.data import Examples, structure
from legacy_towers.inputs import naming_records
from legacy_towers.inputs.base import move_to_tower
from legacy_towers.inputs.splitting import rows_of
from legacy_towers.inputs.tf_data.routes import take_batches
from legacy_towers.tensor_types import Session
from legacy_towers.towers.replicate import replicate
from legacy_towers.training.building import announced_build
from legacy_towers.training.checkpoints.fits import by_checkpoint_name, check_fits
from legacy_towers.training.settings import check_at_least_one


class RestorableModel:
    """The model of a function on each device, for evaluation or prediction, in a graph of its own.

    Args:
      mode: lt.EVAL or lt.PREDICT.
      batch_size: examples per tower and run.
      tower_devices: one device string per tower.
      moving_average_decay: that of training: the moving averages of the variables are restored; None: the variables.
      stream: where to report that building the graph takes long; None writes nothing.

    Attributes:
      examples: the examples.
      outputs: one `TowerOutput` per tower.
      counts: one int32 scalar tensor per tower: how many examples of its batch count. In the last run some towers may
        have none: they compute an example again, which does not count.

    Raises:
      ArgumentError: a batch size below 1, or no devices.
    """

    def __init__(
        self,
        model_fn: Any,
        examples: Examples,
        mode: str,
        batch_size: int,
        tower_devices: Sequence[str],
        moving_average_decay: Optional[float],
        stream: Optional[TextIO],
    ) -> None:
        check_at_least_one("--batch-size", batch_size)
        self.examples = examples
        self._devices = list(tower_devices)
        with tf.Graph().as_default() as self._graph:
            with announced_build(len(tower_devices), stream):
                with tf.device("/cpu:0"):
                    iterator = tf.data.make_initializable_iterator(_batches(examples, batch_size, len(tower_devices)))
                    self._global_step = tf.train.get_or_create_global_step()
                batches, self.counts = _tower_batches(iterator, tower_devices)
                towers = replicate(model_fn, batches, tower_devices, mode=mode)
            self.outputs = [tower.output for tower in towers]
            self._restored = restored_variables(moving_average_decay, tf.global_variables())
            self._saver = tf.train.Saver(self._restored)
            self._initializers = [tf.local_variables_initializer(), tf.tables_initializer(), iterator.initializer]

    @contextmanager
    def restored(self, checkpoint: str, soft_placement: bool) -> Iterator[Tuple[Session, int]]:
        """Returns a context manager for a new session, restored and at the first example, and the global step.

        Raises:
          DeviceError: a device does not exist, and there is no soft placement.
          JobError: the checkpoint does not fit.
        """
        check_fits(checkpoint, self._restored)
        config = session_config(soft_placement=soft_placement, logical_cpus=devices.logical_cpus(self._devices))
        with self._graph.as_default(), tf.Session(graph=self._graph, config=config) as session:
            devices.check_session(session, self._devices)
            self._saver.restore(session, checkpoint)
            session.run(self._initializers)
            with naming_records(self.examples):
                yield session, int(session.run(self._global_step))


def _batches(examples: Examples, batch_size: int, towers: int) -> Any:
    """Returns a dataset of (batch, 1 if its examples count, else 0); the last batch that counts may be short.

        3 towers:  [a b] [c d] [e f]   [g] [a] [a]
                     1     1     1      1   0   0

    The one-example batches at the end complete the last step and are too few for another one. Unlike inputs.dataset,
    this supports sparse and ragged components.
    """
    counts = tf.data.Dataset.zip((examples.dataset(shuffle=False).batch(batch_size), _endless(1)))
    if towers > 1:
        example = examples.dataset(shuffle=False).take(1).batch(1).repeat(towers - 1)
        counts = counts.concatenate(tf.data.Dataset.zip((example, _endless(0))))
    return counts.prefetch(2 * towers)


def _endless(value: int) -> Any:
    return tf.data.Dataset.from_tensors(tf.constant(value, tf.int32)).repeat()


def _tower_batches(iterator: Any, tower_devices: Sequence[str]) -> Tuple[List[Any], List[Any]]:
    """Returns the batch of each tower, on its device, and how many of its examples count; towers read in order."""
    batches, counts = [], []
    with tf.device("/cpu:0"):
        for tower, (batch, is_counted) in enumerate(take_batches([iterator.get_next] * len(tower_devices), True)):
            batches.append(move_to_tower(batch, tower, tower_devices[tower]))
            counts.append(rows_of(structure.leaves(batch)[0][1]) * is_counted)
    return batches, counts


def restored_variables(moving_average_decay: Optional[float], variables: Sequence[Any]) -> Dict[str, Any]:
    """Returns name in the checkpoint -> variable; with a decay, trainable ones with their moving averages' names."""
    named = by_checkpoint_name(variables)
    if moving_average_decay is not None:
        averages = tf.train.ExponentialMovingAverage(moving_average_decay)
        for name, saved in by_checkpoint_name(tf.trainable_variables()).items():
            if name in named:
                one = saved[0] if isinstance(saved, list) else saved
                named[name + averages.average_name(one)[len(one.op.name) :]] = named.pop(name)
    return named
