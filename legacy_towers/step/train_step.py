"""`TrainStep`, what `build_train_step` returns, and its objectives."""
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from legacy_towers.cluster.parameter_servers import is_on_server
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.closed_queues import ClosedQueueCheck
from legacy_towers.graph.initialize import MissingInitializer
from legacy_towers.graph.session_check import check_devices_of
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.step.plan import Plan
from legacy_towers.step.running import Running
from legacy_towers.step.together import StopTogetherHook
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.step.worker_times import WorkerTimesHook
from legacy_towers.tensor_types import GradientPairs, Operation, Session, SessionRunHook, Tensor, Variable
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import quoted
from legacy_towers.towers.replicate import Tower
from legacy_towers.update.asynchronous_towers import AsynchronousTowers


class TrainOpSchedule:
    """The train op of each step: one for all objectives, or that of the objective whose turn it is.

        Objective("discriminator", ..., steps=2), Objective("generator", ..., steps=1)

        global step   0              1              2          3              ...
        train op      discriminator  discriminator  generator  discriminator  ...

    Attributes:
      objective_ops: name of an objective -> its train op; {} where objectives are trained jointly.
      order: names of objectives, one per step, repeated from the start; [] where objectives are trained jointly.
      joint_op: the operation that trains all objectives; None where they alternate.
    """

    def __init__(
        self, objective_ops: Dict[str, Operation], order: Sequence[str], joint_op: Optional[Operation]
    ) -> None:
        self.objective_ops = dict(objective_ops)
        self.order = list(order)
        self.joint_op = joint_op

    @property
    def all_ops(self) -> List[Operation]:
        """The operations of all objectives, or the one that trains all."""
        return [self.joint_op] if self.joint_op is not None else list(self.objective_ops.values())

    def train_op(self, step: int, objective: Optional[str] = None) -> Operation:
        """Returns the train op of global step `step`, or that of a named objective.

        Raises:
          ArgumentError: the step has no objective of that name.
        """
        if objective is not None:
            if objective not in self.objective_ops:
                raise ArgumentError(
                    "the step has no objective {!r}; it has {}".format(
                        objective, quoted(self.objective_ops) or "none that alternate"
                    )
                )
            return self.objective_ops[objective]
        return self.joint_op if self.joint_op is not None else self.objective_ops[self.order[step % len(self.order)]]

    def train_ops(self, start: int) -> Iterator[Operation]:
        """Yields the train ops of global step `start` and of all steps after it, without end."""
        step = start
        while True:
            yield self.train_op(step)
            step += 1


@documented_fields
class ObjectiveStep(NamedTuple):
    """One objective of a step that was built.

    Attributes:
      name: the objective's name.
      train_op: trains this objective alone: applies its gradients once and adds 1 to the global step. None where
        objectives are trained jointly.
      loss: scalar tensor, the objective's loss over all towers that train. Fetched with another objective's train op,
        it may be computed from the variables before or after that update.
      gradients: (gradient, variable) pairs as they are applied.
      variables: the variables that it trains.
    """

    name: str
    train_op: Optional[Operation]
    loss: Tensor
    gradients: GradientPairs
    variables: List[Variable]


class TrainStep:
    """A train step that was built into the default graph.

    Attributes:
      loss: scalar tensor, the global loss: the mean of the towers' losses, each regularization loss counted once. Where
        the input counts true examples, each tower is weighted by its count, here, in the gradients and in the metrics.
        With several objectives it is the sum of their losses; where they alternate, the losses that the step does not
        train may be computed from the variables before or after its update: a step does not wait for tensors that it
        does not need, such as another objective's batch. Where towers train asynchronously it is tower 0's loss, and
        the metrics are tower 0's.
      metrics: name -> scalar tensor, the mean over all towers that train.
      gradients: (gradient, variable) pairs of all objectives, as they are applied.
      objectives: name -> `ObjectiveStep`; {} where the model has one loss.
      schedule: which objective is trained at which global step.
      global_step: the global step variable.
      towers: the towers, with each one's output, losses and name scope.
      summaries: the summaries of the chosen tower, without its prefix.
      moving_averages: the `tf.train.ExponentialMovingAverage`, None without `moving_average_decay`.
      hooks: `tf.train.SessionRunHook`s for MonitoredTrainingSession: they feed, start iterators and check devices.
      input: the towers' batches, with the operations that wait for them and the hooks.
      plan: what was decided; print it.
      validation_loss: scalar tensor, the mean loss of the towers that validate, as their model function returned it;
        None if no tower validates. It is computed from the variables before the step, in each step: these towers always
        run.
      validation_metrics: name -> scalar tensor, the mean over the towers that validate.
      learning_rates: name of an objective, "" for a single one -> its optimizer's learning rate, a scalar tensor or a
        number; without those that can't be known.
      is_finite: name of an objective, "" for a single one -> bool scalar tensor, whether its step is applied; {}
        without `skip_nonfinite`.
    """

    def __init__(
        self,
        schedule: TrainOpSchedule,
        loss: Tensor,
        metrics: Dict[str, Tensor],
        objectives: Dict[str, ObjectiveStep],
        gradients: GradientPairs,
        global_step: Variable,
        towers: List[Tower],
        summaries: List[Tensor],
        moving_averages: Optional[Any],
        hooks: List[SessionRunHook],
        input: TowerBatches,
        plan: Plan,
        validation_loss: Optional[Tensor] = None,
        validation_metrics: Optional[Dict[str, Tensor]] = None,
        learning_rates: Optional[Dict[str, Any]] = None,
        is_finite: Optional[Dict[str, Tensor]] = None,
    ) -> None:
        self.schedule = schedule
        self.loss = loss
        self.metrics = metrics
        self.objectives = objectives
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
        self.learning_rates = learning_rates or {}
        self.is_finite = is_finite or {}
        # Another worker, the chief, initializes what is on the parameter servers.
        self._waits_for_chief = self.stop_hook is not None and self.stop_hook.waits_for_chief
        self._initialize_missing = MissingInitializer(
            (lambda variable: not is_on_server(variable.device)) if self._waits_for_chief else None
        )
        self._check_queues = ClosedQueueCheck()

    @property
    def asynchronous(self) -> Optional[AsynchronousTowers]:
        """The hook that runs the other towers, counts the staleness of all, and pauses them; None if synchronous."""
        return next((hook for hook in self.hooks if isinstance(hook, AsynchronousTowers)), None)

    @property
    def stop_hook(self) -> Optional[StopTogetherHook]:
        """The hook by which all workers of a cluster stop after the same step; None in one process."""
        return next((hook for hook in self.hooks if isinstance(hook, StopTogetherHook)), None)

    @property
    def watch_hook(self) -> Optional[WatchWorkersHook]:
        """The hook that ends a step which waits for a worker that doesn't answer; None in one process."""
        return next((hook for hook in self.hooks if isinstance(hook, WatchWorkersHook)), None)

    @property
    def worker_times_hook(self) -> Optional[WorkerTimesHook]:
        """The hook that knows which worker the others wait for; None in one process, and where no worker waits."""
        return next((hook for hook in self.hooks if isinstance(hook, WorkerTimesHook)), None)

    @property
    def train_op(self) -> Operation:
        """Runs one step: takes every tower's batch, applies the gradients once, and adds 1 to the global step.

        Where towers train asynchronously it is one update of tower 0 alone.

        Raises:
          ArgumentError: the step's objectives alternate, so that no single operation is the step.
        """
        if self.schedule.joint_op is None:
            raise ArgumentError(
                "the objectives {} alternate, so the step has no single train_op: run the operations of "
                "step.train_ops(start) one after the other, or step.objectives[NAME].train_op".format(
                    quoted(self.objectives)
                )
            )
        return self.schedule.joint_op

    def train_ops(self, start: int = 0) -> Iterator[Operation]:
        """Yields, without end, the train op of each step from global step `start` on; see `lt.Objective`.

            for train_op in step.train_ops():
                if session.should_stop():
                    break
                session.run(train_op)

        In a session that may have been restored, pass the global step as `start`. Read it without the hooks, which
        would take a batch: `session.run_step_fn(lambda step_context: step_context.session.run(step.global_step))`.
        """
        return self.schedule.train_ops(start)

    def running(self, session: Session, hooks: Sequence[SessionRunHook] = ()) -> Running:
        """Returns a context manager that runs this step in a `tf.Session`; see `legacy_towers.step.running.Running`.

        Further `hooks` run after the step's own, except `lt.training.StallHook`, which runs first. As in
        MonitoredSession, the end of the data ends the block without an error; what follows the loop inside the block is
        not reached.

            with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
                run()                             # one step; where objectives alternate, of the one whose turn it is
                loss = run(step.loss)             # one step, and its loss
                run(objective="discriminator")    # one step of this objective, where objectives alternate

        Raises, when entered:
          DeviceError: the session lacks a tower's device, or one that a variable or the sum of gradients is on.
          InputError: a queue was closed in this session already.
        """
        first = [hook for hook in hooks if getattr(hook, "runs_first", False)]
        others = [hook for hook in hooks if hook not in first]
        # It withdraws what the others request.
        last = [] if self.stop_hook is None else [self.stop_hook]
        own = [hook for hook in self.hooks if hook not in last]
        # Until the hooks have waited for the chief, it has no value; and the step has one train op.
        global_step = None if self._waits_for_chief else self.global_step
        return Running(session, self._train_op_of, first + own + others + last, self._initialize, global_step)

    def check_devices(self, session: Session) -> None:
        """Checks that a session has every device that the step names, without running anything.

        Args:
          session: a `tf.Session` of any graph.

        Raises:
          DeviceError: the session lacks one, and has no soft placement; the message names the devices that it has.
        """
        check_devices_of(session, self.plan.devices, self.plan.uses())

    def _train_op_of(self, step: int, objective: Optional[str]) -> Operation:
        if objective is not None and self.schedule.joint_op is not None:
            raise ArgumentError(
                "objective={!r}: this step has no objectives that alternate: give steps to each lt.Objective".format(
                    objective
                )
            )
        return self.schedule.train_op(step, objective)

    def _initialize(self, session: Session) -> None:
        self.check_devices(session)
        self._check_queues(session)
        self._initialize_missing(session)
