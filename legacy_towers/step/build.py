"""From a model function to a train step: every room in its turn."""
import numbers
from typing import Any, Callable, List, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.base import ReductionLike, as_reduction
from legacy_towers.gradients.chain import members_of
from legacy_towers.gradients.missing import check_on_missing
from legacy_towers.gradients.shares import tower_shares
from legacy_towers.inputs.base import Input, TowerBatches, host_device
from legacy_towers.names import quoted
from legacy_towers.placements import PlacementWarningHook
from legacy_towers.same_batch import check_distinct_batches
from legacy_towers.step.apart import batches_of, check_towers, shares_in_run, summaries_in_run
from legacy_towers.step.part_gradients import part_gradients
from legacy_towers.step.parts import Part, check_losses, parts_of, trained_variables, variables_of
from legacy_towers.step.planned import describe_summaries, plan_of
from legacy_towers.step.setup import Setup
from legacy_towers.step.train_step import TrainStep
from legacy_towers.step.write import write
from legacy_towers.towers.exchange import TowerExchange
from legacy_towers.towers.metrics import mean_metrics, validation_loss
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.replicate import (
    ModelFn,
    Tower,
    check_devices,
    check_model_fn,
    check_strategy,
    check_variable_kind,
    replicate,
)
from legacy_towers.towers.summaries import keep_summaries
from legacy_towers.update.update_ops import chosen_policy
from legacy_towers.variables import ParameterServer, Strategy


def build_train_step(
    model_fn: ModelFn,
    inputs: Input,
    optimizer: Union[Any, Sequence[Part], Callable[[Any], Any]],
    devices: Sequence[str],
    variables: Optional[Strategy] = None,
    reduction: Optional[ReductionLike] = None,
    update_ops: Optional[str] = None,
    summaries_from: int = -1,
    on_missing: str = "error",
    moving_average_decay: Optional[float] = None,
    variable_kind: str = "resource",
    var_list: Optional[Sequence[Any]] = None,
) -> TrainStep:
    """Builds training on several towers into the default graph; synchronous, unless `variables` says otherwise.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`; called once per tower with mode lt.TRAIN, or lt.EVAL
        for a tower that the input sets aside for validation.
      inputs: a way in, for example `lt.inputs.dataset(...)`.
      optimizer: a `tf.train.Optimizer`; or, for a model with several losses, a list of `lt.Part`; or a function that
        takes the global step and returns either.
      devices: one device string per tower, for example `lt.devices.gpus(4)`; towers may share a device.
      variables: where variables live; by default `lt.variables.ParameterServer("/cpu:0")`.
      reduction: how the towers' gradients meet, such as `lt.gradients.chain(lt.gradients.mean(),
        lt.gradients.clip_by_global_norm(5.0))`; by default `lt.gradients.mean()`. Where each tower applies its own
        gradients it works on these.
      update_ops: whose batch-norm statistics (UPDATE_OPS) are kept: "first", "all" or "mean" of the towers; None: the
        first tower's, or, where each tower applies by itself, each tower's own.
      summaries_from: the tower whose summaries are kept, without its prefix; -1 is the last one that trains. Where
        towers train asynchronously it is tower 0.
      on_missing: what a missing gradient means: "error", "zeros" or "drop".
      moving_average_decay: with a number in (0, 1), trainable variables get exponential moving averages.
      variable_kind: "resource" or "ref".
      var_list: the variables to train; by default all trainable ones of the graph, as `optimizer.minimize` does.

    Raises:
      ArgumentError: an argument is out of range; the reduction lays out sums where each tower applies its own, or no
        part takes it.
      InputError: no tower trains, or towers train on the same batch (see `lt.check_distinct_batches`).
      TowerError: the towers don't fit together; the message names tower and variable.
    """
    check_model_fn(model_fn)
    _check_arguments(inputs, devices, summaries_from, moving_average_decay)
    check_strategy(variables)
    check_on_missing(on_missing)
    check_variable_kind(variable_kind)
    strategy = variables or ParameterServer("/cpu:0")
    policy = chosen_policy(update_ops, strategy)
    of_step = mean() if reduction is None else as_reduction(reduction)
    host = host_device(devices[0])
    summaries_from = summaries_in_run(strategy, summaries_from, len(devices))
    batches = batches_of(inputs, devices, strategy)
    # By a placer of its own: the global step goes where variables go, and takes no turn from RoundRobin.
    with tf.device(strategy.placer().for_tower(host)), tf.variable_scope(
        tf.get_variable_scope(), use_resource=variable_kind == "resource", auxiliary_name_scope=False
    ):
        global_step = _global_step()
    with tf.device(host):
        parts = parts_of(optimizer, global_step)
        _check_is_taken(reduction, parts)
        for part in parts:
            _check_there_is_a_sum(strategy, part.reduction or of_step)
    modes = _modes(batches, len(devices))
    exchange = TowerExchange(modes, batches.counts, batches.padded, strategy)
    towers = replicate(
        exchange.around(model_fn),
        batches.per_tower,
        devices,
        strategy,
        modes,
        variable_kind,
        batches.counts,
        batches.padded,
    )
    training = [tower for tower in towers if tower.mode == TRAIN]
    validating = [tower for tower in towers if tower.mode != TRAIN]
    for tower in training:
        check_losses(parts, tower.losses, tower.index)
    if not batches.shared_by_towers:
        _check_own_examples(training, batches.shared)
    with tf.device(host):
        counts = _counts_of(training, batches)
        shares = shares_in_run(strategy, counts, len(training))
        of_validation = tower_shares(_counts_of(validating, batches), len(validating))
        validated = validation_loss(validating, of_validation)
        validation_metrics = mean_metrics(validating, of_validation)
        moving_averages = None
        if moving_average_decay is not None:
            moving_averages = tf.train.ExponentialMovingAverage(moving_average_decay, global_step)
        setup = Setup(
            towers=towers,
            training=training,
            validating=validating,
            batches=batches,
            strategy=strategy,
            reduction=of_step,
            global_step=global_step,
            counts=counts,
            shares=shares,
            on_missing=on_missing,
            update_ops=policy,
            moving_averages=moving_averages,
            # What a validating tower reads are the variables of before the step, as for the towers that train.
            after=([] if validated is None else [validated]) + list(validation_metrics.values()),
            regularization_losses=tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES),
            exchange=exchange,
            host=host,
        )
        owned = variables_of(parts, trained_variables(var_list))
        gradients = [part_gradients(setup, part, owned[part.name], len(parts) == 1) for part in parts]
        written = write(setup, gradients)
        # Last: until now no tower's graph reached into another's, as the checks above rely on.
        exchange.bind_forward()
        check_towers(strategy, training)
        # Not "global_loss": a summary of that name would be written as global_loss_1.
        loss = tf.add_n([part.loss for part in gradients]) if len(gradients) > 1 else gradients[0].loss
        loss = tf.identity(loss, name="loss_over_towers")
        metrics = mean_metrics(training, shares)
        summaries = keep_summaries(towers, summaries_from)
        kept = describe_summaries(summaries, towers, summaries_from)
        plan = plan_of(setup, gradients, variable_kind, kept, moving_average_decay)
        return TrainStep(
            turns=written.turns,
            loss=loss,
            metrics=metrics,
            parts=written.parts,
            gradients=written.gradients,
            global_step=global_step,
            towers=towers,
            summaries=summaries,
            moving_averages=moving_averages,
            hooks=list(batches.hooks) + [PlacementWarningHook(devices)] + written.hooks,
            input=batches,
            plan=plan,
            validation_loss=validated,
            validation_metrics=validation_metrics,
        )


def _modes(batches: TowerBatches, towers: int) -> List[str]:
    if batches.modes is None:
        return [TRAIN] * towers
    if TRAIN not in batches.modes:
        raise InputError("the modes of the towers are {}: at least one must train".format(quoted(batches.modes)))
    return list(batches.modes)


def _check_is_taken(reduction: Optional[ReductionLike], parts: Sequence[Part]) -> None:
    if reduction is not None and None not in [part.reduction for part in parts]:
        raise ArgumentError(
            "reduction is {!r}, but every part has one of its own ({}): leave it out, or one of theirs".format(
                reduction, ", ".join("{}: {!r}".format(part.name, part.reduction) for part in parts)
            )
        )


def _check_there_is_a_sum(strategy: Strategy, reduction: ReductionLike) -> None:
    if strategy.updates == "reduced":
        return
    for member in members_of(reduction):
        # A mean of one tower is that tower's, whoever asks for it; but a layout of sums would be asked for in vain.
        if member.kind == "layout":
            raise ArgumentError(
                "reduction={!r} with variables={!r}: each tower applies its own gradients, so there is no sum of the "
                "towers' to lay out. Leave {!r} out, or take lt.gradients.mean()".format(reduction, strategy, member)
            )


def _check_own_examples(training: Sequence[Tower], shared: Sequence[Any]) -> None:
    try:
        check_distinct_batches([tower.loss for tower in training], [tower.index for tower in training], shared)
    except InputError as error:
        raise InputError(
            "{} Where it is meant: lt.inputs.from_tensors(per_tower=[...], shared_by_towers=True)".format(error)
        ) from None


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


def _check_arguments(
    inputs: Input, devices: Sequence[str], summaries_from: int, moving_average_decay: Optional[float]
) -> None:
    check_devices(devices)
    if not isinstance(inputs, Input):
        raise ArgumentError(
            "inputs is a {}, not a way in: make one by lt.inputs, for example lt.inputs.from_dataset(dataset) or "
            "lt.inputs.from_tensors(per_tower=[...])".format(type(inputs).__name__)
        )
    is_index = isinstance(summaries_from, int) and not isinstance(summaries_from, bool)
    if not is_index or not -len(devices) <= summaries_from < len(devices):
        raise ArgumentError(
            "summaries_from is {!r}: towers are 0 to {}, and -1 is the last".format(summaries_from, len(devices) - 1)
        )
    if moving_average_decay is not None:
        is_number = isinstance(moving_average_decay, numbers.Real)
        if not is_number or not 0.0 < moving_average_decay < 1.0:
            raise ArgumentError(
                "moving_average_decay is {!r}: allowed is a number between 0 and 1, such as 0.9999".format(
                    moving_average_decay
                )
            )

