"""The rooms in a row: inputs, towers, gradients, update; what comes out is plain tensors, ops and hooks."""
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from legacy_towers.closed_queues import ClosedQueueCheck
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError, TowerError
from legacy_towers.gradients import average_gradients
from legacy_towers.gradients.missing import check_on_missing, dropped_variables, settle_missing
from legacy_towers.gradients.regularize import add_regularization
from legacy_towers.gradients.shares import tower_shares, weighted_mean
from legacy_towers.initialize import MissingInitializer
from legacy_towers.inputs.base import Input, TowerBatches, host_device
from legacy_towers.names import quoted
from legacy_towers.placements import PlacementWarningHook
from legacy_towers.plan import Plan
from legacy_towers.running import Running
from legacy_towers.same_batch import check_distinct_batches
from legacy_towers.session_check import check_devices_of
from legacy_towers.step_plan import (
    describe_regularization,
    describe_summaries,
    describe_update_ops,
    describe_weights,
    variable_plans,
)
from legacy_towers.towers.differentiate import tower_gradients
from legacy_towers.towers.metrics import mean_metrics, validation_loss
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.regularization import RegularizationTerm, missing_regularization, regularization_terms
from legacy_towers.towers.replicate import ModelFn, Tower, check_devices, check_strategy, check_variable_kind, replicate
from legacy_towers.towers.summaries import keep_summaries
from legacy_towers.update import apply_gradients, combine_update_ops
from legacy_towers.update.update_ops import check_policy
from legacy_towers.variables import ParameterServer, Strategy

GradientPairs = List[Tuple[Optional[Any], Any]]


class TrainStep:
    """A train step that was built into the default graph.

    Attributes:
      train_op: runs one step: every tower's batch, the averaged gradients applied once, the global step plus 1.
      loss: scalar tensor, the global loss: the mean of the towers' losses, each regularization loss counted once. Where
        the input counts true examples, each tower weighs by its own here, in the gradients and in the metrics.
      metrics: name -> scalar tensor, the mean over all towers that train.
      gradients: (gradient, variable) pairs as they are applied.
      global_step: the global step variable.
      towers: the towers, with each one's output, loss and name scope.
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
        train_op: Any,
        loss: Any,
        metrics: Dict[str, Any],
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
        self.train_op = train_op
        self.loss = loss
        self.metrics = metrics
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

    def running(self, session: Any, hooks: Sequence[Any] = ()) -> Running:
        """Returns a context manager that runs this step in a bare session; see `legacy_towers.running.Running`.

        Further `hooks` (tf.train.SessionRunHook) run after the step's own. As in MonitoredSession, the end of the data
        ends the block without an error: what stands behind the loop inside the block is not reached.

            with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
                run()                    # one step
                loss = run(step.loss)    # one step, and its loss

        Raises, when entered:
          DeviceError: the session lacks a tower's device.
          InputError: a queue was closed in this session already.
        """
        return Running(session, self.train_op, self.hooks + list(hooks), self._initialize)

    def _initialize(self, session: Any) -> None:
        check_devices_of(session, self.plan.devices)
        self._check_queues(session)
        self._initialize_missing(session)


def build_train_step(
    model_fn: ModelFn,
    inputs: Input,
    optimizer: Union[Any, Callable[[Any], Any]],
    devices: Sequence[str],
    variables: Optional[Strategy] = None,
    update_ops: str = "first",
    summaries_from: int = -1,
    on_missing: str = "error",
    moving_average_decay: Optional[float] = None,
    variable_kind: str = "resource",
    var_list: Optional[Sequence[Any]] = None,
) -> TrainStep:
    """Builds synchronous training on several towers into the default graph.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`; called once per tower with mode lt.TRAIN, or lt.EVAL
        for a tower that the input sets aside for validation.
      inputs: a way in, for example `lt.inputs.dataset(...)`.
      optimizer: a `tf.train.Optimizer`, or a function that takes the global step and returns one.
      devices: one device string per tower, for example `lt.devices.gpus(4)`; towers may share a device.
      variables: where variables live; by default `lt.variables.ParameterServer("/cpu:0")`.
      update_ops: whose batch-norm statistics (UPDATE_OPS) are kept: "first", "all" or "mean" of the towers.
      summaries_from: the tower whose summaries are kept, without its prefix; -1 is the last one that trains.
      on_missing: what a missing gradient means: "error", "zeros" or "drop".
      moving_average_decay: with a number in (0, 1), trainable variables get exponential moving averages.
      variable_kind: "resource" or "ref".
      var_list: the variables to train; by default all trainable ones of the graph, as `optimizer.minimize` does.

    Raises:
      ArgumentError: an argument is out of range.
      InputError: no tower trains, or towers train on the same batch (see `lt.check_distinct_batches`).
      TowerError: the towers don't fit together; the message names tower and variable.
    """
    _check_arguments(inputs, devices, summaries_from, moving_average_decay)
    check_strategy(variables)
    check_on_missing(on_missing)
    check_policy(update_ops)
    check_variable_kind(variable_kind)
    strategy = variables or ParameterServer("/cpu:0")
    host = host_device(devices[0])
    batches = inputs.build(devices)
    # By a placer of its own: the global step goes where variables go, and takes no turn from RoundRobin.
    with tf.device(strategy.placer().for_tower(host)), tf.variable_scope(
        tf.get_variable_scope(), use_resource=variable_kind == "resource", auxiliary_name_scope=False
    ):
        global_step = _global_step()
    with tf.device(host):
        optimizer = _optimizer(optimizer, global_step)
    towers = _towers(model_fn, batches, devices, strategy, variable_kind)
    training = [tower for tower in towers if tower.mode == TRAIN]
    validating = [tower for tower in towers if tower.mode != TRAIN]
    if not batches.shared_by_towers:
        _check_own_examples(training, batches.shared)
    with tf.device(host):
        counts = _counts_of(training, batches)
        shares = tower_shares(counts, len(training))
        losses: List[Any] = [tower.loss for tower in training]
        terms = regularization_terms(
            losses,
            tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES),
            [tower.collected.regularization_losses for tower in training],
            shares,
            [tower.examples.batch for tower in training],
            [tower.examples.batch for tower in validating],
        )
        if batches.padded:
            _check_spoilt_by_copies(terms, training)
        regularization = missing_regularization(terms, losses[0].dtype)
        of_towers = tower_gradients(training, optimizer, var_list)
        averaged = average_gradients(of_towers, weights=counts, on_missing=on_missing)
        dropped = dropped_variables(of_towers, on_missing)
        gradients = _settled(add_regularization(averaged, regularization, optimizer, dropped), on_missing)
        of_validation = tower_shares(_counts_of(validating, batches), len(validating))
        validated = validation_loss(validating, of_validation)
        validation_metrics = mean_metrics(validating, of_validation)
        # What a validating tower reads are the variables of before the step, as for the towers that train.
        after = ([] if validated is None else [validated]) + [validation_metrics[name] for name in validation_metrics]
        updates = combine_update_ops([tower.collected.update_ops for tower in training], update_ops, shares, after)
        moving_averages = None
        if moving_average_decay is not None:
            moving_averages = tf.train.ExponentialMovingAverage(moving_average_decay, global_step)
        trained = tf.trainable_variables() if var_list is None else var_list
        with tf.control_dependencies(after):
            train_op = apply_gradients(optimizer, gradients, global_step, updates, moving_averages, trained)
        loss = weighted_mean(losses, shares)
        # Not "global_loss": a summary of that name would be written as global_loss_1.
        loss = tf.identity(loss if regularization is None else loss + regularization, name="loss_over_towers")
        metrics = mean_metrics(training, shares)
        summaries = keep_summaries(towers, summaries_from)
        plan = Plan(
            devices=list(devices),
            input=batches.plan,
            strategy=repr(strategy),
            variable_kind=variable_kind,
            variables=variable_plans(averaged, gradients),
            regularization=describe_regularization(terms, len(training)),
            update_ops=describe_update_ops(training, update_ops),
            summaries=describe_summaries(summaries, towers, summaries_from),
            moving_average_decay=moving_average_decay,
            validating=[tower.index for tower in validating],
            weights=describe_weights(batches),
        )
        hooks = list(batches.hooks) + [PlacementWarningHook(devices)]
        return TrainStep(
            train_op,
            loss,
            metrics,
            gradients,
            global_step,
            towers,
            summaries,
            moving_averages,
            hooks,
            batches,
            plan,
            validated,
            validation_metrics,
        )


def _towers(
    model_fn: ModelFn, batches: TowerBatches, devices: Sequence[str], strategy: Strategy, variable_kind: str
) -> List[Tower]:
    if batches.modes is not None and TRAIN not in batches.modes:
        raise InputError("the modes of the towers are {}: at least one must train".format(quoted(batches.modes)))
    modes = TRAIN if batches.modes is None else batches.modes
    return replicate(
        model_fn, batches.per_tower, devices, strategy, modes, variable_kind, batches.counts, batches.padded
    )


def _check_own_examples(training: Sequence[Tower], shared: Sequence[Any]) -> None:
    try:
        check_distinct_batches([tower.loss for tower in training], [tower.index for tower in training], shared)
    except InputError as error:
        raise InputError(
            "{} Where it is meant: lt.inputs.from_tensors(per_tower=[...], shared_by_towers=True)".format(error)
        ) from None


def _check_spoilt_by_copies(terms: Sequence[RegularizationTerm], training: Sequence[Tower]) -> None:
    for term in terms:
        if term.of_tower is not None:
            raise TowerError(
                'the regularization loss {!r} is of the examples of tower {}: remainder="pad" fills the last batch '
                'with copies, which it would contain. Take remainder="short", or make it part of a loss per '
                "example".format(term.loss.op.name, training[term.of_tower].index)
            )


def _counts_of(towers: Sequence[Tower], batches: TowerBatches) -> Optional[List[Any]]:
    return [tower.examples.count for tower in towers] if batches.counts is not None and towers else None


def _global_step() -> Any:
    try:
        return tf.train.get_or_create_global_step()
    except TypeError as error:
        raise ArgumentError(
            "the graph has a global step that can't be used ({}): make it by "
            "tf.train.get_or_create_global_step()".format(error)
        ) from None


def _optimizer(optimizer: Any, global_step: Any) -> Any:
    if isinstance(optimizer, type):
        raise ArgumentError(
            "optimizer is the class {}: make one, such as {}(0.1), or give a function that takes the global step and "
            "returns one".format(optimizer.__name__, optimizer.__name__)
        )
    made = optimizer(global_step) if callable(optimizer) else optimizer
    if not (hasattr(made, "compute_gradients") and hasattr(made, "apply_gradients")):
        raise ArgumentError(
            "{} {!r}: give a tf.train.Optimizer, such as tf.train.MomentumOptimizer(0.1, 0.9), or a function that "
            "takes the global step and returns one".format(
                "the optimizer function returned" if callable(optimizer) else "optimizer is", made
            )
        )
    return made


def _check_arguments(
    inputs: Input, devices: Sequence[str], summaries_from: int, moving_average_decay: Optional[float]
) -> None:
    check_devices(devices)
    if not isinstance(inputs, Input):
        raise ArgumentError(
            "inputs is a {}, not a way in: make one by lt.inputs, for example lt.inputs.from_dataset(dataset) or "
            "lt.inputs.from_tensors(per_tower=[...])".format(type(inputs).__name__)
        )
    if not -len(devices) <= summaries_from < len(devices):
        raise ArgumentError(
            "summaries_from is {}: the towers are 0 to {}, and -1 is the last".format(summaries_from, len(devices) - 1)
        )
    if moving_average_decay is not None and not 0.0 < moving_average_decay < 1.0:
        raise ArgumentError(
            "moving_average_decay is {!r}: allowed is a number between 0 and 1, such as 0.9999".format(
                moving_average_decay
            )
        )


def _settled(gradients: GradientPairs, on_missing: str) -> GradientPairs:
    settled: GradientPairs = []
    for gradient, variable in gradients:
        kept = settle_missing([gradient], variable, on_missing)
        settled.append((kept[0] if kept else None, variable))
    return settled
