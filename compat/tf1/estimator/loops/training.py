"""The training loop of an Estimator: a MonitoredTrainingSession with hooks for checkpoints and summaries."""
from typing import Any, Dict, List

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.tf1.estimator import over_workers
from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.versions import tf


def run(estimator: Any, spec: Any, input_hooks: List[Any], hooks: List[Any], listeners: List[Any]) -> Any:
    """Runs the train op until a hook or the end of data stops it; returns the last loss, None without a step."""
    config = estimator.config
    estimator._maybe_warm_start(None)
    if not any(summary.op.name == "loss" for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)):
        tf.summary.scalar("loss", spec.loss)
    tf.add_to_collection(tf.GraphKeys.LOSSES, spec.loss)
    worker_hooks = input_hooks + hooks + [tf.train.NanTensorHook(spec.loss)]
    if config.log_step_count_steps is not None:
        shown = {"loss": spec.loss, "step": tf.train.get_global_step()}
        worker_hooks.append(tf.train.LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
    worker_hooks += spec.training_hooks
    _add_saver(spec, config)
    if over_workers.saves_on_all_workers(config):
        if listeners:
            raise ValueError("saving_listeners are not supported by {} over workers".format(
                type(config.train_distribute).__name__
            ))
        return _run(estimator, spec, config, {
            "hooks": worker_hooks,
            "chief_only_hooks": list(spec.training_chief_hooks),
            "save_checkpoint_secs": config.save_checkpoints_secs,
            "save_checkpoint_steps": config.save_checkpoints_steps,
            "save_summaries_steps": config.save_summary_steps,
            "log_step_count_steps": config.log_step_count_steps,
        })
    chief_hooks = _saver_hooks(spec, config, worker_hooks, listeners)
    summary_steps, log_steps = config.save_summary_steps, config.log_step_count_steps
    if _has_master_and_workers(config):  # the first worker writes summaries, since the master evaluates too
        if config.task_type == TaskType.WORKER and config.task_id == 0:
            worker_hooks += _first_worker_hooks(spec, config)
        summary_steps, log_steps = 0, None
    return _run(estimator, spec, config, {
        "hooks": worker_hooks,
        "chief_only_hooks": chief_hooks + list(spec.training_chief_hooks),
        "save_checkpoint_secs": 0,  # one of `chief_hooks` saves
        "save_summaries_steps": summary_steps,
        "log_step_count_steps": log_steps,
    })


def _run(estimator: Any, spec: Any, config: Any, options: Dict[str, Any]) -> Any:
    """Runs the train op in a MonitoredTrainingSession with `options`; returns the last loss."""
    loss, stepped = None, False
    with script_api.tensorflow().train.MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=estimator.model_dir,
        scaffold=spec.scaffold,
        config=config.session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        **options
    ) as session:
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
            stepped = True
    if not stepped:
        tf.logging.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
    return loss


def _add_saver(spec: Any, config: Any) -> None:
    if spec.scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS):
        return
    saver = tf.train.Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        defer_build=True,
        save_relative_paths=True,
    )
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)


def _saver_hooks(spec: Any, config: Any, worker_hooks: List[Any], listeners: List[Any]) -> List[Any]:
    """Returns a CheckpointSaverHook if there is none yet, and adds the listeners to the first one.

    Raises:
      ValueError: there are listeners, but no CheckpointSaverHook.
    """
    present = worker_hooks + list(spec.training_chief_hooks)
    savers = [hook for hook in present if isinstance(hook, tf.train.CheckpointSaverHook)]
    made = []
    if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        made.append(
            tf.train.CheckpointSaverHook(
                config.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
            )
        )
    if listeners and not savers + made:
        raise ValueError(
            "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
            "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
        )
    if listeners:
        known = runtime.listeners_of((savers + made)[0])
        known.extend(listener for listener in listeners if listener not in known)
    return made


def _has_master_and_workers(config: Any) -> bool:
    jobs = config.cluster_spec.jobs if config.cluster_spec else ()
    return TaskType.WORKER in jobs and TaskType.MASTER in jobs


def _first_worker_hooks(spec: Any, config: Any) -> List[Any]:
    hooks: List[Any] = []
    if config.save_summary_steps:
        hooks.append(
            tf.train.SummarySaverHook(
                save_steps=config.save_summary_steps, output_dir=config.model_dir, scaffold=spec.scaffold
            )
        )
    if config.log_step_count_steps:
        hooks.append(tf.train.StepCounterHook(every_n_steps=config.log_step_count_steps, output_dir=config.model_dir))
    return hooks
