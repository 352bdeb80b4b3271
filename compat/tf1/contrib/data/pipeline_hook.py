"""CheckpointInputPipelineHook, which TensorFlow removed with tf.estimator."""
import os
from typing import Any

from legacy_towers.compat.versions import tf

_COLLECTION = "iterators"


class CheckpointInputPipelineHook(tf.train.SessionRunHook):
    """Saves the iterators of the collection "iterators" as often as an Estimator saves, and restores them at the start.

    Args:
      estimator: the Estimator; its config gives the interval, its model_dir the directory.

    Raises:
      ValueError: the Estimator has several workers, or (in `begin`) the collection is empty.
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator.config
        if config.num_worker_replicas != 1:
            raise ValueError("CheckpointInputPipelineHook is currently only supported for single worker")
        self._folder = estimator.model_dir
        self._timer = tf.train.SecondOrStepTimer(config.save_checkpoints_secs, config.save_checkpoints_steps)
        self._saver: Any = None
        self._step: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_global_step()
        iterators = tf.get_collection(_COLLECTION)
        if not iterators:
            raise ValueError(
                "the collection {!r} contains no iterator: call tf.add_to_collection({!r}, "
                "make_saveable_from_iterator(iterator)) for each iterator to save".format(_COLLECTION, _COLLECTION)
            )
        self._saver = tf.train.Saver(iterators)

    def after_create_session(self, session: Any, coord: Any) -> None:
        latest = tf.train.latest_checkpoint(self._folder, "checkpoint_input")
        if latest:
            self._saver.restore(session, latest)
        self._timer.reset()
        self._timer.update_last_triggered_step(session.run(self._step))

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            self._save(run_context.session, step)

    def end(self, session: Any) -> None:
        self._save(session, session.run(self._step))

    def _save(self, session: Any, step: int) -> None:
        path = os.path.join(self._folder, "input.ckpt")
        self._saver.save(session, path, step, latest_filename="checkpoint_input", write_meta_graph=False)
