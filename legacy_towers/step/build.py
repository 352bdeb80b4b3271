"""`build_train_step`: joins input, towers, gradients and update into one train step."""
from typing import Any, Callable, Dict, Optional, Sequence, Union

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers, workers_of
from legacy_towers.cluster.value import Cluster
from legacy_towers.cluster.workers import on_task
from legacy_towers.compat import tf
from legacy_towers.compat.versions.optimizers import learning_rate_of
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import ReductionLike
from legacy_towers.gradients.named import reduction_from
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.gradients.transforms.missing import check_on_missing
from legacy_towers.graph.finalized import explain_finalized_graph
from legacy_towers.graph.hook_check import HookCheck
from legacy_towers.graph.placement import PlacementWarningHook
from legacy_towers.graph.session_check import DeviceCheckHook, explain_missing_devices
from legacy_towers.inputs.base import Input, host_device
from legacy_towers.inputs.count_steps import counting_hooks
from legacy_towers.step.all_reduces import begin_all_reduces, end_all_reduces, fingerprint_of, of_workers
from legacy_towers.step.arguments import check_arguments, check_no_sum_layout, check_reduction_is_used
from legacy_towers.step.asynchronous import batches_of, check_towers, is_asynchronous, summary_tower_in_run, tensors_of
from legacy_towers.step.asynchronous_parameter_servers import asynchronous_over_workers
from legacy_towers.step.likely_mistakes import warn_of_large_batches, warn_of_shared_devices
from legacy_towers.step.objective_gradients import objective_gradients, objective_losses
from legacy_towers.step.objectives import (
    Objective,
    check_losses,
    objectives_of,
    trained_variables,
    variables_of_objectives,
)
from legacy_towers.step.parameter_servers import add_admission, begin_server_step, check_update_ops, end_server_step
from legacy_towers.step.plan_rows import describe_summaries, plan_of
from legacy_towers.step.random_model import with_random_model
from legacy_towers.step.setup import Setup, StepOptions, build_setup, build_towers, check_distinct_examples
from legacy_towers.step.skipping import guarded
from legacy_towers.step.train_step import TrainStep
from legacy_towers.step.updates import build_updates
from legacy_towers.step.workers import check_objective_of_workers, check_towers_of_workers, check_workers_can_train
from legacy_towers.tensor_types import DeviceString, Optimizer, Variable
from legacy_towers.towers.metrics import mean_metrics
from legacy_towers.towers.output import WHOLE
from legacy_towers.towers.replicate import ModelFn, check_devices, check_model_fn, check_use_resource
from legacy_towers.towers.summaries import keep_summaries
from legacy_towers.update.update_ops import chosen_policy
from legacy_towers.variables import Strategy
from legacy_towers.variables.over_workers import strategy_over_workers


def build_train_step(
    model_fn: ModelFn,
    inputs: Input,
    optimizer: Union[Optimizer, Sequence[Objective], Callable[[Variable], Any]],
    devices: Sequence[DeviceString],
    variables: Union[None, str, Strategy] = None,
    reduction: Union[None, str, ReductionLike] = None,
    update_ops: Optional[str] = None,
    summary_tower: int = -1,
    on_missing: str = "error",
    moving_average_decay: Optional[float] = None,
    use_resource: bool = True,
    var_list: Optional[Sequence[Variable]] = None,
    skip_nonfinite: bool = False,
    cluster: Optional[Cluster] = None,
    backup_workers: int = 0,
) -> TrainStep:
    """Builds training on several towers into the default graph; synchronous, unless `variables` says otherwise.

        step = lt.build_train_step(
            model_fn,
            inputs=lt.inputs.dataset(examples, per_tower_batch_size=32),
            optimizer=tf.train.MomentumOptimizer(0.1, 0.9),
            devices=lt.devices.gpus(4),
        )

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`; called once per tower with mode lt.TRAIN, or lt.EVAL
        for a tower that the input sets aside for validation.
      inputs: an input pipeline, such as `lt.inputs.dataset(...)`.
      optimizer: a `tf.train.Optimizer`; or, for several losses, a list of `lt.Objective`; or a function that takes the
        global step and returns either.
      devices: one device string per tower, such as `lt.devices.gpus(4)`; towers may share a device.
      variables: where variables live: a strategy, or its name as on the command line, such as "replicated"; by default
        `lt.variables.ParameterServer("/cpu:0")`.
      reduction: how the towers' gradients are reduced, such as `lt.gradients.chain(lt.gradients.mean(),
        lt.gradients.clip_by_global_norm(5.0))`, or its name as on the command line, "mean+clip_by_global_norm:5"; by
        default `lt.gradients.mean()`. Where each tower applies its own gradients, it is applied to each tower's.
      update_ops: which towers' batch-norm statistics (UPDATE_OPS) are kept: "first", "all" or "mean" of the towers;
        None: the first tower's, or, where each tower applies its own gradients, each tower's own.
      summary_tower: the tower whose summaries are kept, without its prefix; -1: the last one that trains. Where towers
        train asynchronously it is tower 0.
      on_missing: what a missing gradient means: "error", "zeros" or "drop".
      moving_average_decay: a number in (0, 1): trainable variables get exponential moving averages; None: no averages.
      use_resource: whether variables are resource variables; False: ref variables, TF1's old kind.
      var_list: the variables to train; None: all trainable ones of the graph, as in `optimizer.minimize`.
      skip_nonfinite: whether a step whose loss or gradients are NaN or infinite is skipped: it changes no variable,
        slot, moving average or batch-norm statistic, and the global step still counts it. `lt.training.NanGuardHook`
        counts and reports such steps.
      cluster: the cluster of which this process is a worker, whose `lt.cluster.start` has returned: `devices` are those
        of this worker, every worker builds the same step, and together they compute the steps of one process with all
        their towers. Loss, metrics and gradients are those of all workers, so that each of them must run each step:
        whoever fetches the loss in another run waits for the others. Where the cluster has parameter servers, the
        variables live there; the default is then "parameter_server", or "balanced" over several. None: one process.
      backup_workers: how many workers an update does not wait for, with parameter servers: it takes the gradients of
        those that come first, and those of the others are dropped, and counted (`step.stop_hook.late`).

    Raises:
      ArgumentError: an argument is out of range; the reduction has a sum layout where each tower applies its own
        gradients, or no objective uses it.
      InputError: no tower trains, or towers train on the same batch (see `lt.check_distinct_batches`).
      TowerError: the towers don't fit together; the message names tower and variable.
      ClusterError: workers can't train this step together; the message names what they can't.
    """
    check_model_fn(model_fn)
    workers = workers_of(cluster, backup_workers)
    if cluster is not None:
        check_devices(devices)
        devices = on_task(cluster, devices)
    check_arguments(inputs, devices, summary_tower, moving_average_decay)
    check_on_missing(on_missing)
    check_use_resource(use_resource)
    strategy = strategy_over_workers(variables, devices, cluster)
    policy = chosen_policy(update_ops, strategy)
    default_reduction = mean() if reduction is None else reduction_from(reduction)
    host = host_device(devices[0])
    summary_tower = summary_tower_in_run(strategy, summary_tower, len(devices))
    warn_of_shared_devices(devices)
    if workers is not None:
        check_workers_can_train(strategy, workers)
        check_update_ops(policy, strategy, workers)
        inputs = inputs.of_worker(workers)
        add_admission(workers)
    batches = batches_of(inputs, devices, strategy, workers)
    warn_of_large_batches(batches.plan)
    global_step = _global_step(strategy, host, use_resource)
    with tf.device(host):
        objectives = objectives_of(optimizer, global_step)
    check_reduction_is_used(reduction, objectives)
    for objective in objectives:
        check_no_sum_layout(strategy, reduction_from(objective.reduction or default_reduction))
        if workers is not None:
            check_objective_of_workers(
                objective, reduction_from(objective.reduction or default_reduction), strategy,
                isinstance(workers, ParameterServerWorkers),
            )
    towers = build_towers(model_fn, batches, devices, strategy, use_resource)
    for tower in towers.training:
        check_losses(objectives, tower.losses, tower.index)
    check_distinct_examples(towers.training, batches)
    if workers is not None:
        check_towers_of_workers(towers)
        towers.all[0].variables.workers = workers
    with tf.device(host):
        setup = build_setup(
            towers,
            batches,
            StepOptions(
                strategy, default_reduction, on_missing, policy, summary_tower, moving_average_decay, use_resource,
                bool(skip_nonfinite), workers,
            ),
            global_step,
            host,
        )
        return _train_step(setup, objectives, trained_variables(var_list))


def _train_step(setup: Setup, objectives: Sequence[Objective], trained: Sequence[Variable]) -> TrainStep:
    """Returns the step that trains the objectives on the towers of `setup`."""
    options = setup.options
    owned = variables_of_objectives(objectives, trained)
    is_synchronous = not is_asynchronous(options.strategy)
    has_servers = isinstance(options.workers, ParameterServerWorkers)
    losses = [objective_losses(setup, each, owned[each.name], len(objectives) == 1) for each in objectives]
    of_process = [each.over_towers(setup.tower_weights) for each in losses]
    metrics, local = None, None
    if options.workers is not None and is_synchronous and not has_servers:
        local = begin_all_reduces(setup, of_process, mean_metrics(setup.training, setup.tower_weights))
    gradients = [
        objective_gradients(
            setup, each, owned[each.name], losses[position], of_process[position],
            # The message of the first gradients includes it.
            local.fused if local is not None and position == 0 else None,
        )
        for position, each in enumerate(objectives)
    ]
    if has_servers and is_synchronous:
        server_sums = begin_server_step(setup, gradients, mean_metrics(setup.training, setup.tower_weights))
        gradients, metrics = server_sums.gradients, server_sums.metrics
    elif local is not None:
        reduced = end_all_reduces(setup, local, gradients)
        gradients, metrics = reduced.gradients, reduced.metrics
    checked = guarded(setup, gradients)
    gradients = checked.gradients
    updates = build_updates(setup, checked)
    is_finite = checked.is_finite
    if has_servers and is_synchronous:
        ended = end_server_step(setup, server_sums, checked, updates, fingerprint_of(setup))
        updates, gradients, metrics, is_finite = ended
    elif has_servers:
        updates = asynchronous_over_workers(setup, updates, fingerprint_of(setup))
    elif options.workers is not None:
        updates = of_workers(setup, updates, reduced)
    # After all else: until now no tower's graph reaches into another's, which the checks above rely on.
    setup.cross_tower.connect()
    check_towers(options.strategy, setup.training)
    # Not "loss": a summary of the model of that name would be written as loss_1.
    loss = tf.add_n([each.loss for each in gradients]) if len(gradients) > 1 else gradients[0].loss
    loss = tf.identity(loss, name="loss_over_towers")
    if metrics is None:
        metrics = mean_metrics(setup.training, setup.tower_weights)
    summaries = keep_summaries(setup.towers, options.summary_tower)
    plan = plan_of(setup, gradients, describe_summaries(summaries, setup.towers, options.summary_tower))
    losses = [each for tower in setup.training for each in tower.losses.values()]
    plan = plan._replace(input=with_random_model(plan.input, setup.batches, losses))
    uses = plan.uses()
    explain_missing_devices(loss.graph, plan.devices, uses)
    explain_finalized_graph(loss.graph)
    required = list(setup.batches.hooks) + updates.hooks
    # What compares the workers is before all in which one waits for the others.
    hooks = [] if options.workers is None else updates.hooks[:2]
    hooks += setup.batches.hooks
    hooks += counting_hooks(setup.batches.position, setup.batches.per_tower, setup.batches.ids)
    hooks += [DeviceCheckHook(plan.devices, uses), PlacementWarningHook(plan.devices)]
    hooks += [each for each in updates.hooks if each not in hooks]
    if required:
        check = HookCheck(plan.input.pipeline, required, tensors_of(setup.batches.per_tower))
        check.watch([loss.op] + updates.schedule.all_ops)
        hooks.append(check)
    return TrainStep(
        schedule=updates.schedule,
        loss=loss,
        metrics=metrics,
        objectives=updates.objectives,
        gradients=updates.gradients,
        global_step=setup.global_step,
        towers=setup.towers,
        summaries=summaries,
        moving_averages=setup.moving_averages,
        hooks=hooks,
        input=setup.batches,
        plan=plan,
        validation_loss=setup.validation_loss,
        validation_metrics=setup.validation_metrics,
        is_finite=is_finite,
        learning_rates=_learning_rates(objectives),
    )


def _learning_rates(objectives: Sequence[Objective]) -> Dict[str, Any]:
    rates = {each.name: learning_rate_of(each.optimizer, tf.get_default_graph()) for each in objectives}
    return {"" if name == WHOLE else name: rate for name, rate in rates.items() if rate is not None}


def _global_step(strategy: Strategy, host: DeviceString, use_resource: bool) -> Variable:
    # By a placer of its own: the global step lives where variables live, and takes no turn from RoundRobin.
    with tf.device(strategy.placer().for_tower(host)), tf.variable_scope(
        tf.get_variable_scope(), use_resource=use_resource, auxiliary_name_scope=False
    ):
        try:
            return tf.train.get_or_create_global_step()
        except TypeError as error:
            raise ArgumentError(
                "the graph has a global step that can't be used ({}): create it by "
                "tf.train.get_or_create_global_step()".format(error)
            ) from None
