"""Experiment, which trains, evaluates and exports an estimator, and learn_runner.run."""
import inspect
import os
import time
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1.estimator.cluster import TaskType
from legacy_towers.compat.tf1.estimator.estimator import Estimator as CoreEstimator
from legacy_towers.compat.tf1.estimator.loops.train_and_evaluate import _start_server
from legacy_towers.compat.versions import tf


class Experiment:
    """An estimator with its input functions for training and evaluation.

    The arguments are those of TensorFlow 1.15.

    Args:
      export_strategies: an ExportStrategy or a list of them, run after the last evaluation.
      checkpoint_and_export: whether `train_and_evaluate` evaluates and exports each checkpoint that is saved.
      check_interval_secs: has no effect: evaluations are not looked for, they run between two parts of the training.

    Raises:
      ValueError: `eval_metrics` are given for a tf.estimator.Estimator, or `delay_workers_by_global_step` is true.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Any = None,
        train_steps: Optional[int] = None,
        eval_steps: Optional[int] = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        local_eval_frequency: Optional[int] = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: Optional[int] = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: Optional[int] = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
    ) -> None:
        if isinstance(estimator, CoreEstimator) and eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use `eval_metric_ops` instead."
            )
        if delay_workers_by_global_step:
            raise ValueError(
                "delay_workers_by_global_step is not supported: leave it out; worker i waits (i + 1) * 5 s before it "
                "trains"
            )
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._train_monitors = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._frequency = min_eval_frequency if min_eval_frequency is not None else local_eval_frequency
        self._steps_per_iteration = train_steps_per_iteration
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = list(saving_listeners or ())
        if export_strategies is None:
            self._export_strategies = []
        else:
            # An ExportStrategy is a tuple itself.
            is_list = isinstance(export_strategies, (list, tuple)) and not hasattr(export_strategies, "export")
            self._export_strategies = list(export_strategies) if is_list else [export_strategies]

    estimator = property(lambda self: self._estimator)
    eval_metrics = property(lambda self: self._eval_metrics)
    train_steps = property(lambda self: self._train_steps)
    eval_steps = property(lambda self: self._eval_steps)

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Adds hooks for training."""
        self._train_monitors.extend(additional_hooks)

    def train(self, delay_secs: Optional[float] = None) -> Any:
        """Trains until global step `train_steps`, after `delay_secs`; worker i waits (i + 1) * 5 s by default."""
        config = self._estimator.config
        if config.cluster_spec:
            _start_server(config)
        if delay_secs is None:
            is_worker = config.task_type == TaskType.WORKER and config.cluster_spec
            delay_secs = min(60, (config.task_id + 1) * 5) if is_worker else 0
        time.sleep(delay_secs)
        return self._train(self._train_steps)

    def _train(self, max_steps: Optional[int], steps: Optional[int] = None, more_hooks: Any = ()) -> Any:
        hooks = self._train_monitors + list(more_hooks)
        if isinstance(self._estimator, CoreEstimator):
            return self._estimator.train(
                self._train_input_fn,
                hooks=hooks,
                steps=steps,
                max_steps=max_steps,
                saving_listeners=self._saving_listeners or None,
            )
        return self._estimator.fit(
            input_fn=self._train_input_fn, steps=steps, max_steps=max_steps, monitors=hooks
        )

    def evaluate(self, delay_secs: Optional[float] = None, name: Optional[str] = None) -> Dict[str, Any]:
        """Evaluates the latest checkpoint, after `delay_secs` (by default `eval_delay_secs`)."""
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self._evaluate(name or "one_pass")

    def _evaluate(
        self, name: Optional[str], checkpoint_path: Optional[str] = None, input_fn: Any = None
    ) -> Dict[str, Any]:
        options = dict(
            input_fn=input_fn or self._eval_input_fn, steps=self._eval_steps, name=name, hooks=self._eval_hooks,
            checkpoint_path=checkpoint_path,
        )
        if not isinstance(self._estimator, CoreEstimator):
            options["metrics"] = self._eval_metrics
        return self._estimator.evaluate(**options)

    def continuous_eval(
        self,
        delay_secs: Optional[float] = None,
        throttle_delay_secs: Optional[float] = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous",
    ) -> Any:
        """Evaluates and exports each new checkpoint until global step `train_steps`, and returns the last results.

        Args:
          delay_secs: how long to wait before the first evaluation; by default `eval_delay_secs`.
          throttle_delay_secs: seconds between the starts of two evaluations; by default
            `continuous_eval_throttle_secs`.
          evaluate_checkpoint_only_once: whether to wait for a new checkpoint after each evaluation.
          continuous_eval_predicate_fn: results[, checkpoint_path] -> whether to continue.
          name: the suffix of the folder of the results.
        """
        return self._continuous_eval(
            None, delay_secs, throttle_delay_secs, evaluate_checkpoint_only_once, continuous_eval_predicate_fn, name
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: Optional[float] = None,
        throttle_delay_secs: Optional[float] = None,
        continuous_eval_predicate_fn: Any = None,
        name: str = "continuous_on_train_data",
    ) -> Any:
        """Does the same as `continuous_eval` on the data for training, without exports."""
        return self._continuous_eval(
            self._train_input_fn, delay_secs, throttle_delay_secs, True, continuous_eval_predicate_fn, name
        )

    def _continuous_eval(
        self,
        train_input_fn: Any,
        delay_secs: Optional[float],
        throttle_secs: Optional[float],
        once: bool,
        predicate: Any,
        name: str,
    ) -> Any:
        if predicate is not None and not callable(predicate):
            raise ValueError("`continuous_eval_predicate_fn` must be a callable, or None.")
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        throttle_secs = self._throttle_secs if throttle_secs is None else throttle_secs
        seen, results, last = None, None, None
        while predicate is None or _should_continue(predicate, results, seen):
            if self._train_steps and results and results["global_step"] >= self._train_steps:
                break
            start = time.time()
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            if not latest or (once and latest == seen):
                results = {}
            else:
                last = results = self._evaluate(name, latest, train_input_fn)
                if train_input_fn is None:
                    self._exports(results, latest)
                seen = latest
            time.sleep(max(0.0, throttle_secs - (time.time() - start)))
        return last

    def train_and_evaluate(self) -> Any:
        """Trains, evaluates every `min_eval_frequency` steps and at the end, and exports.

        With `checkpoint_and_export`, evaluates and exports each checkpoint that the configuration saves instead. The
        master of a cluster starts its server, and evaluates checkpoints that are `min_eval_frequency` steps apart.

        Returns:
          (results of the last evaluation, list of exports).
        """
        config = self._estimator.config
        if config.cluster_spec:
            _start_server(config)
        if self._checkpoint_and_export and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            listener = _EvaluateAndExport(self)
            self._train(self._train_steps, more_hooks=[self._saver(listener)])
            return listener.results, listener.exports
        if config.cluster_spec:
            # In one session: another would restore a checkpoint over what the workers have trained since.
            saver = [self._saver(_Evaluate(self, self._frequency))] if self._frequency else []
            self._train(self._train_steps, more_hooks=saver)
            last = self._evaluate(None)
            return last, self._exports(last)
        step, results = 0, None
        while self._frequency and self._train_steps and step + self._frequency < self._train_steps:
            step += self._frequency
            self._train(step)
            results = self._evaluate(None)
        self._train(self._train_steps)
        results = self._evaluate(None)
        return results, self._exports(results)

    local_run = train_and_evaluate

    def _saver(self, listener: Any) -> Any:
        config = self._estimator.config
        return tf.train.CheckpointSaverHook(
            self._estimator.model_dir, config.save_checkpoints_secs, config.save_checkpoints_steps,
            listeners=[listener],
        )

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Any = None) -> Any:
        """Alternates training for `train_steps_per_iteration` steps with evaluation and export.

        Args:
          continuous_eval_predicate_fn: results[, checkpoint_path] -> whether to continue. Training also stops at
            global step `train_steps`, if that is given.

        Returns:
          (results of the last evaluation, list of exports).
        """
        latest, results, exports = None, None, None
        steps = self._steps_per_iteration or (1000 if self._train_steps is None else self._train_steps // 10 or 1)
        while continuous_eval_predicate_fn is None or _should_continue(continuous_eval_predicate_fn, results, latest):
            if self._train_steps and results and results.get("global_step", 0) >= self._train_steps:
                tf.logging.info("Stop training model as max steps reached")
                break
            tf.logging.info("Training model for %s steps", steps)
            self._train(None, steps=steps)
            tf.logging.info("Evaluating model now.")
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            results = self._evaluate("one_pass")
            exports = self._exports(results)
        return results, exports

    def run_std_server(self) -> None:
        """Starts a server, such as a parameter server, and blocks until it shuts down."""
        _start_server(self._estimator.config).join()

    def test(self) -> Any:
        """Trains one step, evaluates, and returns the results."""
        self._train(1)
        return self._evaluate("one_pass")

    def _exports(self, results: Any, checkpoint_path: Optional[str] = None) -> Any:
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator, os.path.join(folder, strategy.name), checkpoint_path=checkpoint_path,
                eval_result=results,
            )
            for strategy in self._export_strategies
        ]


class _EvaluateAndExport(tf.train.CheckpointSaverListener):
    """Evaluates and exports each new checkpoint of an experiment.

    Attributes:
      results, exports: those of the last checkpoint; None before the first one.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._latest: Optional[str] = None
        self.results: Any = None
        self.exports: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        latest = tf.train.latest_checkpoint(self._experiment.estimator.model_dir)
        if latest and latest != self._latest:
            self._latest = latest
            self.results = self._experiment._evaluate("intermediate_export", latest)
            self.exports = self._experiment._exports(self.results, latest)


class _Evaluate(tf.train.CheckpointSaverListener):
    """Evaluates the new checkpoints of an experiment that are at least `frequency` steps apart."""

    def __init__(self, experiment: Experiment, frequency: int) -> None:
        self._experiment = experiment
        self._frequency = frequency
        self._last = 0

    def after_save(self, session: Any, global_step_value: int) -> None:
        if global_step_value - self._last >= self._frequency:
            self._last = global_step_value
            latest = tf.train.latest_checkpoint(self._experiment.estimator.model_dir)
            self._experiment._evaluate(None, latest)


def _should_continue(predicate: Callable[..., Any], results: Any, latest: Optional[str]) -> Any:
    if "checkpoint_path" in inspect.signature(predicate).parameters:
        return predicate(results, checkpoint_path=latest)
    return predicate(results)


_SCHEDULES = {
    TaskType.PS: "run_std_server", TaskType.WORKER: "train", TaskType.MASTER: "local_run", TaskType.CHIEF: "local_run",
}


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: Optional[str] = None,
    schedule: Optional[str] = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Creates the experiment and calls its method `schedule`.

    Args:
      experiment_fn: `output_dir` -> Experiment, or (run_config, hparams) -> Experiment where `run_config` is given.
      schedule: by default "train_and_evaluate"; in a cluster "run_std_server", "train" or "local_run" for the task
        types ps, worker and master of TF_CONFIG.

    Raises:
      ValueError: Experiment has no method `schedule`, or not exactly one of `output_dir` and `run_config` is given.
      TypeError: `experiment_fn` did not return an Experiment.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError("exactly one of output_dir and run_config must be given to learn_runner.run")
    if run_config is not None:
        experiment = experiment_fn(run_config=run_config, hparams=hparams)
    else:
        experiment = experiment_fn(output_dir)
    if not isinstance(experiment, Experiment):
        raise TypeError("Experiment builder did not return an Experiment instance, got {} instead.".format(experiment))
    config = experiment.estimator.config
    schedule = schedule or (_SCHEDULES.get(str(config.task_type)) if config.cluster_spec else "train_and_evaluate")
    if schedule is None or not callable(getattr(experiment, schedule, None)):
        schedules = [name for name in dir(Experiment) if not name.startswith("_")]
        raise ValueError("Schedule references non-existent task {}: {}".format(schedule, schedules))
    return getattr(experiment, schedule)()
