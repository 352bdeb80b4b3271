"""What is built: a train step, and its parts."""
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.closed_queues import ClosedQueueCheck
from legacy_towers.errors import ArgumentError
from legacy_towers.initialize import MissingInitializer
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.names import quoted
from legacy_towers.plan import Plan
from legacy_towers.running import Running
from legacy_towers.session_check import check_devices_of
from legacy_towers.step.turns import Turns
from legacy_towers.towers.replicate import Tower
from legacy_towers.update.asynchronous_towers import AsynchronousTowers

GradientPairs = List[Tuple[Optional[Any], Any]]


class PartStep(NamedTuple):
    """One part of a step.

    Attributes:
      name: of the part.
      train_op: runs this part alone: its gradients are applied once, and the global step moves by 1. None where all
        parts are run together.
      loss: scalar tensor, the part's loss over all towers that train. In a step of another part's turn it is of the
        variables before or after that step, as it comes.
      gradients: (gradient, variable) pairs as they are applied.
      variables: what the part trains.
    """

    name: str
    train_op: Optional[Any]
    loss: Any
    gradients: GradientPairs
    variables: List[Any]


class TrainStep:
    """A train step that was built into the default graph.

    Attributes:
      loss: scalar tensor, the global loss: the mean of the towers' losses, each regularization loss counted once. Where
        the input counts true examples, each tower weighs by its own here, in the gradients and in the metrics. With
        several parts, the sum of theirs; where they take turns, the losses of those whose turn it is not are of the
        variables before or after the step, as it comes: a step does not wait for what it doesn't need, such as another
        part's batch. Where towers train asynchronously, tower 0's, as the metrics are.
      metrics: name -> scalar tensor, the mean over all towers that train.
      gradients: (gradient, variable) pairs as they are applied, of all parts.
      parts: name -> `PartStep`; empty where the model has one loss.
      turns: which part's turn it is at which global step.
      global_step: the global step variable.
      towers: the towers, with each one's output, losses and name scope.
      summaries: the summaries of the chosen tower, without its prefix.
      moving_averages: the `tf.train.ExponentialMovingAverage`, None if none was asked for.
      hooks: what must run beside `train_op`, for MonitoredTrainingSession: feeding, starting iterators, checks.
      input: the towers' batches, with the operations that wait for them and the hooks.
      plan: what was decided; print it.
      validation_loss: scalar tensor, the mean loss of the towers that validate, as their model function returned it;
        None if none does. It is of the variables before the step, which waits for it: these towers run in each step.
      validation_metrics: name -> scalar tensor, the mean over the towers that validate.
    """

    def __init__(
        self,
        turns: Turns,
        loss: Any,
        metrics: Dict[str, Any],
        parts: Dict[str, PartStep],
        gradients: GradientPairs,
        global_step: Any,
        towers: List[Tower],
        summaries: List[Any],
        moving_averages: Optional[Any],
        hooks: List[Any],
        input: TowerBatches,
        plan: Plan,
        validation_loss: Optional[Any] = None,
        validation_metrics: Optional[Dict[str, Any]] = None,
    ) -> None:
        self.turns = turns
        self.loss = loss
        self.metrics = metrics
        self.parts = parts
        self.gradients = gradients
        self.global_step = global_step
        self.towers = towers
        self.summaries = summaries
        self.moving_averages = moving_averages
        self.hooks = hooks
        self.input = input
        self.plan = plan
        self.validation_loss = validation_loss
        self.validation_metrics = validation_metrics or {}
        self._initialize_missing = MissingInitializer()
        self._check_queues = ClosedQueueCheck()

    @property
    def asynchronous(self) -> Optional[AsynchronousTowers]:
        """The hook that runs the other towers, tells the staleness of all, and pauses them; None without one."""
        return next((hook for hook in self.hooks if isinstance(hook, AsynchronousTowers)), None)

    @property
    def train_op(self) -> Any:
        """Runs one step: every tower's batch, the gradients applied once, the global step plus 1.

        Where towers train asynchronously it is an update of tower 0 alone.

        Raises:
          ArgumentError: the step's parts take turns, so that no single operation is the step.
        """
        if self.turns.together is None:
            raise ArgumentError(
                "the parts {} take turns, so the step has no single train_op: run the operations of "
                "step.train_ops(start) one after the other, or step.parts[NAME].train_op".format(quoted(self.parts))
            )
        return self.turns.together

    def train_ops(self, start: int = 0) -> Iterator[Any]:
        """Yields, without end, the operation of each step from global step `start` on; see `lt.Part` for turns.

            for train_op in step.train_ops():
                if session.should_stop():
                    break
                session.run(train_op)

        In a session that may have been restored, `start` is what the global step is then; without the hooks, which
        would take a batch: `session.run_step_fn(lambda step_context: step_context.session.run(step.global_step))`.
        """
        return self.turns.endless(start)

    def running(self, session: Any, hooks: Sequence[Any] = ()) -> Running:
        """Returns a context manager that runs this step in a bare session; see `legacy_towers.running.Running`.

        Further `hooks` (tf.train.SessionRunHook) run after the step's own. As in MonitoredSession, the end of the data
        ends the block without an error: what stands behind the loop inside the block is not reached.

            with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
                run()                         # one step; where parts take turns, of the part whose turn it is
                loss = run(step.loss)         # one step, and its loss
                run(part="discriminator")     # one step of this part, where parts take turns

        Raises, when entered:
          DeviceError: the session lacks a tower's device, or one that a variable or the sum of gradients is on.
          InputError: a queue was closed in this session already.
        """
        return Running(session, self._op, self.hooks + list(hooks), self._initialize, self.global_step)

    def _op(self, step: int, part: Optional[str]) -> Any:
        if part is not None and self.turns.together is not None:
            raise ArgumentError(
                "part={!r}: this step has no parts that take turns: give each lt.Part its steps".format(part)
            )
        return self.turns.op(step, part)

    def _initialize(self, session: Any) -> None:
        check_devices_of(session, self.plan.devices, self.plan.uses())
        self._check_queues(session)
        self._initialize_missing(session)
