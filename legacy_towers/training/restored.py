"""A job's model on its towers, restored from a checkpoint: what evaluation and prediction have in common."""
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from legacy_towers import devices, structure
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.inputs.base import onto_tower
from legacy_towers.inputs.routes import in_order
from legacy_towers.jobs import Job
from legacy_towers.towers.replicate import replicate
from legacy_towers.training.checkpoints import by_checkpoint_name, check_fits, require_checkpoint
from legacy_towers.training.data_loss import naming_files


class RestoredModel(NamedTuple):
    """A model in a session, over the test examples.

    Attributes:
      session: the session; its variables are restored, its input is at the first example.
      outputs: a `TowerOutput` per tower.
      counts: an int32 scalar tensor per tower, its true examples in the batch. In the last run towers may have none:
        they compute an example again that doesn't count.
      step: the global step of the checkpoint.
    """

    session: Any
    outputs: List[Any]
    counts: List[Any]
    step: int


@contextmanager
def restored_model(
    job: Job, checkpoint_dir: str, mode: str, batch_size: int, tower_devices: Sequence[str], soft_placement: bool
) -> Iterator[RestoredModel]:
    """Builds the job's model on each device in a graph of its own and restores it; every test example counts once.

    Raises:
      ArgumentError: a batch size below 1.
      DeviceError: there is no such device, and no soft placement.
      JobError: the job has no test examples, or there is no checkpoint that fits.
    """
    if job.test is None:
        raise JobError("the job has no test examples: give lt.Job(test=...)")
    if batch_size < 1:
        raise ArgumentError("--batch-size is {}: at least 1 is needed".format(batch_size))
    checkpoint = require_checkpoint(checkpoint_dir)
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            iterator = tf.data.make_initializable_iterator(_test_batches(job, batch_size, len(tower_devices)))
            global_step = tf.train.get_or_create_global_step()
        batches, counts = _pull(iterator, tower_devices)
        towers = replicate(job.model_fn, batches, tower_devices, mode=mode)
        restored = _restored_variables(job)
        check_fits(checkpoint, restored)
        saver = tf.train.Saver(restored)
        initializers = [tf.local_variables_initializer(), tf.tables_initializer(), iterator.initializer]
        config = session_config(soft_placement=soft_placement, logical_cpus=_logical_cpus(tower_devices))
        with tf.Session(config=config) as session:
            devices.check_session(session, tower_devices)
            saver.restore(session, checkpoint)
            session.run(initializers)
            with naming_files(job.test.describe()):
                outputs = [tower.output for tower in towers]
                yield RestoredModel(session, outputs, counts, int(session.run(global_step)))


def _test_batches(job: Job, batch_size: int, towers: int) -> Any:
    """Returns a dataset of (batch, 1 or 0: whether its examples count); the last batch that counts may be short.

        3 towers:  [a b] [c d] [e f]   [g] [a] [a]
                     1     1     1      1   0   0

    The one-example batches at the end complete the last step, and can't make one more. Unlike inputs.dataset, this
    takes sparse and ragged components too.
    """
    assert job.test is not None
    counts = tf.data.Dataset.zip((job.test.dataset(shuffle=False).batch(batch_size), _endless(1)))
    if towers > 1:
        example = job.test.dataset(shuffle=False).take(1).batch(1).repeat(towers - 1)
        counts = counts.concatenate(tf.data.Dataset.zip((example, _endless(0))))
    return counts.prefetch(2 * towers)


def _endless(value: int) -> Any:
    return tf.data.Dataset.from_tensors(tf.constant(value, tf.int32)).repeat()


def _pull(iterator: Any, tower_devices: Sequence[str]) -> Tuple[List[Any], List[Any]]:
    """Returns each tower's batch, on its device, and its count of true examples; towers pull in turn."""
    batches, counts = [], []
    with tf.device("/cpu:0"):
        for tower, (batch, is_counted) in enumerate(in_order([iterator.get_next] * len(tower_devices), True)):
            batches.append(onto_tower(batch, tower, tower_devices[tower]))
            counts.append(_examples_in(batch) * is_counted)
    return batches, counts


def _logical_cpus(tower_devices: Sequence[str]) -> int:
    specs = [tf.DeviceSpec.from_string(device) for device in tower_devices]
    return 1 + max((spec.device_index or 0 for spec in specs if (spec.device_type or "").upper() == "CPU"), default=0)


def _examples_in(batch: Any) -> Any:
    first = structure.leaves(batch)[0][1]
    if isinstance(first, tf.SparseTensor):
        return tf.cast(first.dense_shape[0], tf.int32)
    return tf.cast(first.nrows(), tf.int32) if isinstance(first, tf.RaggedTensor) else tf.shape(first)[0]


def _restored_variables(job: Job) -> Dict[str, Any]:
    """Returns name in the checkpoint -> variable: where there are moving averages, those of the trainable ones."""
    variables = by_checkpoint_name(tf.global_variables())
    if job.moving_average_decay is not None:
        averages = tf.train.ExponentialMovingAverage(job.moving_average_decay)
        for name, saved in by_checkpoint_name(tf.trainable_variables()).items():
            one = saved[0] if isinstance(saved, list) else saved
            variables[name + averages.average_name(one)[len(one.op.name) :]] = variables.pop(name)
    return variables
