"""The position in a dataset, saved beside the variables."""
import os
from typing import Any

from legacy_towers.compat import tf

_COLLECTION = "iterators"


class CheckpointInputPipelineHook(tf.train.SessionRunHook):
    """Saves the iterators of the collection "iterators" when the estimator saves, and restores them at its beginning.

    Args:
      estimator: the Estimator whose intervals and folder count.
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator.config
        if config.num_worker_replicas != 1:
            raise ValueError("CheckpointInputPipelineHook is currently only supported for single worker")
        self._folder = estimator.model_dir
        # Steps or seconds: what the estimator saves by.
        self._timer = tf.train.SecondOrStepTimer(config.save_checkpoints_secs, config.save_checkpoints_steps)
        self._saver: Any = None
        self._step: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_global_step()
        iterators = tf.get_collection(_COLLECTION)
        if not iterators:
            raise ValueError(
                "no iterator is in the collection {!r}: tf.add_to_collection({!r}, "
                "make_saveable_from_iterator(iterator)) names the one to save".format(_COLLECTION, _COLLECTION)
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
