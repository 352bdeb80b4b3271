"""Experiment and learn_runner: an estimator with its inputs, and what a process does with them."""
import inspect
import os
import time
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator.cluster import TaskType
from legacy_towers.oldtf.estimator.estimator import Estimator as CoreEstimator
from legacy_towers.oldtf.estimator.train_and_evaluate import _start_server


class Experiment:
    """An estimator, what it trains on and what it is evaluated on.

    The arguments are those of TensorFlow 1.15. Of `export_strategies` each is called after the last evaluation.
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
            raise ValueError("delay_workers_by_global_step is not served: workers wait 5 s one after the other")
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
        self._saving_listeners = list(saving_listeners or ())
        if export_strategies is None:
            self._export_strategies = []
        else:
            many = isinstance(export_strategies, (list, tuple)) and not hasattr(export_strategies, "export")
            self._export_strategies = list(export_strategies) if many else [export_strategies]

    estimator = property(lambda self: self._estimator)
    eval_metrics = property(lambda self: self._eval_metrics)
    train_steps = property(lambda self: self._train_steps)
    eval_steps = property(lambda self: self._eval_steps)

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Trains with more hooks from now on."""
        self._train_monitors.extend(additional_hooks)

    def train(self, delay_secs: Optional[float] = None) -> Any:
        """Trains to the step `train_steps`; a worker first waits 5 s for each one before it."""
        config = self._estimator.config
        if config.cluster_spec:
            _start_server(config)
        if delay_secs is None:
            is_worker = config.task_type == TaskType.WORKER and config.cluster_spec
            delay_secs = min(60, (config.task_id + 1) * 5) if is_worker else 0
        time.sleep(delay_secs)
        return self._train(self._train_steps)

    def _train(self, max_steps: Optional[int], steps: Optional[int] = None) -> Any:
        if isinstance(self._estimator, CoreEstimator):
            return self._estimator.train(
                self._train_input_fn,
                hooks=self._train_monitors,
                steps=steps,
                max_steps=max_steps,
                saving_listeners=self._saving_listeners or None,
            )
        return self._estimator.fit(
            input_fn=self._train_input_fn, steps=steps, max_steps=max_steps, monitors=self._train_monitors
        )

    def evaluate(self, delay_secs: Optional[float] = None, name: Optional[str] = None) -> Dict[str, Any]:
        """Evaluates the latest checkpoint, after `eval_delay_secs`."""
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self._evaluate(name or "one_pass")

    def _evaluate(self, name: Optional[str]) -> Dict[str, Any]:
        options = dict(input_fn=self._eval_input_fn, steps=self._eval_steps, name=name, hooks=self._eval_hooks)
        if not isinstance(self._estimator, CoreEstimator):
            options["metrics"] = self._eval_metrics
        return self._estimator.evaluate(**options)

    def continuous_eval(self, delay_secs: Optional[float] = None, **options: Any) -> Any:
        """Evaluates each new checkpoint until the step `train_steps`."""
        time.sleep(self._eval_delay_secs if delay_secs is None else delay_secs)
        seen, results = None, None
        while True:
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            if latest and latest != seen:
                seen, results = latest, self._evaluate("continuous")
                if self._train_steps and results["global_step"] >= self._train_steps:
                    return results
            time.sleep(self._throttle_secs)

    def train_and_evaluate(self) -> Any:
        """Trains, and evaluates every `min_eval_frequency` steps and at the end; returns (results, exports)."""
        step, results = 0, None
        while self._frequency and self._train_steps and step + self._frequency < self._train_steps:
            step += self._frequency
            self._train(step)
            results = self._evaluate(None)
        self._train(self._train_steps)
        results = self._evaluate(None)
        return results, self._exports(results)

    local_run = train_and_evaluate

    def continuous_train_and_eval(self, continuous_eval_predicate_fn: Any = None) -> Any:
        """Trains `train_steps_per_iteration` steps and evaluates, in turn; returns (results, exports).

        That goes on until the step `train_steps`, if it is given, or until `continuous_eval_predicate_fn` of the
        results (and of `checkpoint_path`, if it takes that) is false.
        """
        latest, results, exports = None, None, None
        each = self._steps_per_iteration or (1000 if self._train_steps is None else self._train_steps // 10 or 1)
        while continuous_eval_predicate_fn is None or _goes_on(continuous_eval_predicate_fn, results, latest):
            if self._train_steps and results and results.get("global_step", 0) >= self._train_steps:
                tf.logging.info("Stop training model as max steps reached")
                break
            tf.logging.info("Training model for %s steps", each)
            self._train(None, steps=each)
            tf.logging.info("Evaluating model now.")
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            results = self._evaluate("one_pass")
            exports = self._exports(results)
        return results, exports

    def run_std_server(self) -> None:
        """Serves variables, for ever."""
        _start_server(self._estimator.config).join()

    def test(self) -> Any:
        """One step of training and of evaluation."""
        self._train(1)
        return self._evaluate("one_pass")

    def _exports(self, results: Any) -> Any:
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(self._estimator, os.path.join(folder, strategy.name), eval_result=results)
            for strategy in self._export_strategies
        ]


def _goes_on(predicate: Callable[..., Any], results: Any, latest: Optional[str]) -> Any:
    if "checkpoint_path" in inspect.signature(predicate).parameters:
        return predicate(results, checkpoint_path=latest)
    return predicate(results)


_SCHEDULES = {TaskType.PS: "run_std_server", TaskType.WORKER: "train", TaskType.MASTER: "local_run"}


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: Optional[str] = None,
    schedule: Optional[str] = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Calls the method `schedule` of the experiment: train_and_evaluate, or what the task of TF_CONFIG is for.

    `experiment_fn` takes `output_dir`, or (run_config, hparams) where `run_config` is given.

    Raises:
      ValueError: there is no such schedule, or output and configuration are both or none given.
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
    chosen = schedule or (_SCHEDULES.get(str(config.task_type)) if config.cluster_spec else "train_and_evaluate")
    if chosen is None or not callable(getattr(experiment, chosen, None)):
        known = [name for name in dir(Experiment) if not name.startswith("_")]
        raise ValueError("Schedule references non-existent task {}: {}".format(chosen, known))
    return getattr(experiment, chosen)()
