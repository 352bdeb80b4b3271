"""A job's model on one device, restored from a checkpoint: what evaluation and prediction have in common."""
from contextlib import contextmanager
from typing import Any, Dict, Iterator, NamedTuple

from legacy_towers import devices, structure
from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.jobs import Job
from legacy_towers.towers.replicate import replicate
from legacy_towers.training.checkpoints import by_checkpoint_name, check_fits, require_checkpoint
from legacy_towers.training.data_loss import naming_files


class RestoredModel(NamedTuple):
    """A model in a session, over the test examples.

    Attributes:
      session: the session; its variables are restored, its input is at the first example.
      output: the `TowerOutput`.
      batch_count: scalar int32 tensor, the number of examples in the batch.
      step: the global step of the checkpoint.
    """

    session: Any
    output: Any
    batch_count: Any
    step: int


@contextmanager
def restored_model(
    job: Job, checkpoint_dir: str, mode: str, batch_size: int, device: str, soft_placement: bool
) -> Iterator[RestoredModel]:
    """Builds the job's model on one device in a graph of its own and restores it; every test example comes once.

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
            dataset = job.test.dataset(shuffle=False).batch(batch_size).prefetch(2)
            iterator = tf.data.make_initializable_iterator(dataset)
            batch = iterator.get_next()
            batch_count = _examples_in(batch)
            global_step = tf.train.get_or_create_global_step()
        (tower,) = replicate(job.model_fn, [batch], [device], mode=mode)
        restored = _restored_variables(job)
        check_fits(checkpoint, restored)
        saver = tf.train.Saver(restored)
        initializers = [tf.local_variables_initializer(), tf.tables_initializer(), iterator.initializer]
        with tf.Session(config=session_config(soft_placement=soft_placement)) as session:
            devices.check_session(session, [device])
            saver.restore(session, checkpoint)
            session.run(initializers)
            with naming_files(job.test.describe()):
                yield RestoredModel(session, tower.output, batch_count, int(session.run(global_step)))


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
        for variable in tf.trainable_variables():
            variables[averages.average_name(variable)] = variables.pop(variable.op.name)
    return variables
