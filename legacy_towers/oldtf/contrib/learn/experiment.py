"""Experiment and learn_runner: an estimator with its inputs, and what a process does with them."""
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

    def _train(self, max_steps: Optional[int]) -> Any:
        if isinstance(self._estimator, CoreEstimator):
            return self._estimator.train(
                self._train_input_fn,
                hooks=self._train_monitors,
                max_steps=max_steps,
                saving_listeners=self._saving_listeners or None,
            )
        return self._estimator.fit(input_fn=self._train_input_fn, max_steps=max_steps, monitors=self._train_monitors)

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
        """Trains `train_steps_per_iteration` steps and evaluates, in turn; returns (results, exports)."""
        results: Any = None
        each = self._steps_per_iteration or (self._train_steps or 0) // 10 or 1
        step = 0
        while self._train_steps is None or step < self._train_steps:
            if continuous_eval_predicate_fn is not None and not continuous_eval_predicate_fn(results):
                break
            step = step + each if self._train_steps is None else min(step + each, self._train_steps)
            self._train(step)
            results = self._evaluate(None)
        return results, self._exports(results)

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
