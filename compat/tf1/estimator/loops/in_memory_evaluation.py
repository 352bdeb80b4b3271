"""Evaluation in the training process, without a checkpoint."""
from typing import Any, Dict, List, Optional

from legacy_towers.compat.tf1.estimator.loops import evaluation, evaluation_events
from legacy_towers.compat.versions import tf


class InMemoryEvaluatorHook(tf.train.SessionRunHook):
    """Evaluates every `every_n_iter` steps with the variables of the training session.

    Args:
      estimator: the Estimator that trains.
      input_fn: of the evaluation.
      steps: the number of batches; None for all data.
      hooks: of the evaluation.
      name: see `Estimator.evaluate`.
      every_n_iter: the interval, in runs of the session.

    Raises:
      ValueError: `every_n_iter` is not positive, or the cluster has more than one process.
    """

    def __init__(
        self,
        estimator: Any,
        input_fn: Any,
        steps: Optional[int] = None,
        hooks: Any = None,
        name: Optional[str] = None,
        every_n_iter: int = 100,
    ) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError("invalid every_n_iter={}.".format(every_n_iter))
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator = estimator
        self._input_fn = input_fn
        self._steps = steps
        self._hooks: List[Any] = list(hooks or ())
        self._name = name
        self._timer = tf.train.SecondOrStepTimer(every_steps=every_n_iter)
        self._runs = 0
        self._variables: Dict[str, Any] = {}
        self._step: Any = None

    def begin(self) -> None:
        self._timer.reset()
        self._runs = 0
        self._variables = {variable.op.name: variable for variable in tf.global_variables()}
        self._step = tf.train.get_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._evaluate(session)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._runs += 1
        if self._timer.should_trigger_for_step(self._runs):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        self._timer.update_last_triggered_step(self._runs)
        values = session.run(self._variables)
        results = evaluation.evaluate_with(self._estimator, self._input_fn, self._hooks, self._steps, values)
        step = session.run(self._step)
        results[tf.GraphKeys.GLOBAL_STEP] = step
        evaluation_events.write_results(self._estimator.eval_dir(self._name), results, step)
