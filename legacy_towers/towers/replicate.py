"""Calls one model function per device, with variables that the towers share or with a copy per tower."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.compat.versions import variable_store
from legacy_towers.devices import check_list
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.graph import walk
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.tensor_types import DeviceString, NestedTensors, Tensor
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import quoted, tower_scope
from legacy_towers.towers.batch_keys import with_known_keys
from legacy_towers.towers.collections import Collected, CollectionRecorder
from legacy_towers.towers.losses import check_output, check_separate, total_loss, tower_losses
from legacy_towers.towers.output import MODES, TRAIN, TowerOutput
from legacy_towers.towers.true_examples import TrueExamples
from legacy_towers.variables import Placer, Strategy
from legacy_towers.variables.copy_maker import CopyMaker
from legacy_towers.variables.named import as_strategy
from legacy_towers.variables.partitioned import PartitionedVariables
from legacy_towers.variables.tower_variables import TowerVariables, variables_for

ModelFn = Callable[[Any, str], TowerOutput]


@documented_fields
class Tower(NamedTuple):
    """One copy of the model.

    Attributes:
      index: 0 for the first tower.
      device: the device string that was asked for.
      scope: its name scope with a closing slash, to be entered again by `tf.name_scope(tower.scope)`.
      output: what the model function returned.
      loss: scalar tensor, the tower's loss, the mean over its true examples; of several losses their sum. Outside of
        training: what the model function returned, which may be None.
      collected: what the model function added to the graph's collections.
      placer: its device function: entered by `tf.device(tower.placer)`, it places variables as the strategy says, and
        other operations on the tower's device.
      variables: which variable each tower uses in place of each plain-named one.
      mode: what the model function was called with: lt.TRAIN, lt.EVAL or lt.PREDICT.
      examples: the tower's batch, and which of its rows are true examples.
      losses: in training, name of an objective -> scalar tensor; with a single loss, WHOLE -> `loss`.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    device: DeviceString
    scope: str
    output: TowerOutput
    loss: Optional[Tensor]
    collected: Collected
    placer: Callable[[Any], str]
    variables: TowerVariables
    mode: str = TRAIN
    examples: TrueExamples = TrueExamples()
    losses: Dict[str, Tensor] = {}


def replicate(
    model_fn: ModelFn,
    batches: Sequence[NestedTensors],
    devices: Sequence[DeviceString],
    variables: Union[None, str, Strategy] = None,
    mode: Union[str, Sequence[str]] = TRAIN,
    use_resource: bool = True,
    counts: Optional[Sequence[Tensor]] = None,
    padded: bool = False,
) -> List[Tower]:
    """Calls `model_fn(batch, mode)` once per device; towers share one set of variables, or each has a copy.

    Tower 0 creates the variables, under the names that they have without towers; the later towers reuse them, whether
    the model uses `reuse_variables()`, AUTO_REUSE or neither. Each tower has a name scope (`tower_0/`, ...) and its
    device.

    With a strategy that has copies (`lt.variables.Replicated`, `LocalSGD`) each tower creates its own, by
    `tf.get_variable` or `tf.layers` inside the model function, and finds these in the collections of variables and of
    regularization losses. Variables created before the towers are shared. Afterwards the collections hold the
    plain-named variables and tower 0's regularization losses, as without towers; each tower's own are in
    `Tower.collected`.

    What each tower adds to the other collections stays there, the summaries and update ops of an evaluation model
    too.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`.
      batches: one nested structure of tensors per tower.
      devices: one device string per tower; towers may share a device.
      variables: where variables live: a strategy, or its name as on the command line, such as "replicated"; by default
        `lt.variables.ParameterServer("/cpu:0")`.
      mode: lt.TRAIN, lt.EVAL or lt.PREDICT; or a list with one of them per tower.
      use_resource: whether variables are resource variables, whose reads and writes are ordered; False makes ref
        variables, TF1's old kind, whose reads race with writes.
      counts: int32 scalar tensor per tower: how many rows of its batch, from the first on, are true examples; a loss
        with one value per example is averaged over these. None: all are.
      padded: whether the other rows are copies: then a scalar loss, which would contain them, is refused.

    Returns:
      The towers, in order.

    Raises:
      ArgumentError: `model_fn` can't be called; there are no devices, or not as many batches, modes or counts as
        devices; a mode or strategy is unknown.
      TowerError: the graph has the model's variables already, from a step that was built before; a later tower creates
        a variable that tower 0 does not have, or, with copies, lacks one or uses another tower's; a tower's loss is
        missing or of a wrong type or shape; or rows of a variable that the strategy partitions are looked up with
        partition_strategy="mod".
      BatchKeyError: `model_fn` reads a key that the batch, a dict, does not have; it is a KeyError.
    """
    check_model_fn(model_fn)
    _check_arguments(batches, devices, use_resource)
    modes = _modes(mode, len(devices))
    if counts is not None and len(counts) != len(devices):
        raise ArgumentError("{} counts for {} towers: each tower needs its own".format(len(counts), len(devices)))
    strategy = as_strategy(variables, devices)
    placer = strategy.placer()
    cutter = PartitionedVariables(strategy.partitioner)
    tower_variables = variables_for(strategy, len(devices))
    maker = CopyMaker(tower_variables, strategy)
    towers: List[Tower] = []
    before = variable_store.known_names(tf.get_default_graph())
    for index, (batch, device) in enumerate(zip(batches, devices)):
        examples = TrueExamples(batch, None if counts is None else counts[index], padded)
        try:
            tower = _build_tower(
                model_fn, examples, device, index, placer, cutter, maker, modes[index], use_resource
            )
        except ValueError as error:
            name = variable_store.existing_name(error)
            if name not in before:
                raise
            raise TowerError(
                "the graph has a variable {!r} already, created before these towers, such as by a step that was built "
                "before: build each step in its own graph, inside `with tf.Graph().as_default():`. To use the "
                "existing variables, build the towers inside `with tf.variable_scope(tf.get_variable_scope(), "
                "reuse=tf.AUTO_REUSE):`".format(name)
            ) from None
        towers.append(tower)
        _check_new_variables(towers)
        if strategy.copies:
            check_own_variables(tower_variables, index, _computed(towers[-1]), maker.missing)
    cutter.check_lookups()
    if TRAIN in modes:
        losses = [tower.loss if tower.mode == TRAIN else None for tower in towers]
        check_separate(losses, [tower.collected for tower in towers])
    return towers


def _build_tower(
    model_fn: ModelFn,
    examples: TrueExamples,
    device: str,
    index: int,
    placer: Placer,
    cutter: PartitionedVariables,
    maker: CopyMaker,
    mode: str,
    use_resource: bool,
) -> Tower:
    # Tower 0 is as strict as the model without towers: a name created twice by mistake is an error there. Later towers
    # may not create variables either, but TensorFlow's error for that names neither tower nor remedy: checked below.
    reuse = tf.AUTO_REUSE if index else None
    device_function = placer.for_tower(device)
    # Without the auxiliary name scope: inside a caller's variable scope all towers have the same name scope.
    with tf.variable_scope(
        tf.get_variable_scope(),
        reuse=reuse,
        use_resource=use_resource,
        auxiliary_name_scope=False,
        **cutter.scope_options(),
    ):
        with tf.device(device_function), tf.name_scope(tower_scope(index)) as scope, maker.building(
            index, trains=mode == TRAIN
        ):
            recorder = CollectionRecorder()
            output = check_output(model_fn(with_known_keys(examples.batch, index), mode), index)
            collected = recorder.added()
            losses = tower_losses(output, collected, examples, index) if mode == TRAIN else {}
            loss = total_loss(losses) if mode == TRAIN else output.loss
    return Tower(
        index, device, scope, output, loss, collected, device_function, maker.variables, mode, examples, losses
    )


def _computed(tower: Tower) -> List[Any]:
    output = tower.output
    return [tower.loss, output.metrics, output.predictions, tower.collected.update_ops]


def _modes(mode: Union[str, Sequence[str]], towers: int) -> List[str]:
    modes = [mode] * towers if isinstance(mode, str) else list(mode)
    if len(modes) != towers:
        raise ArgumentError("{} modes for {} towers: give one, or one per tower".format(len(modes), towers))
    for each in modes:
        if each not in MODES:
            raise ArgumentError("mode is {!r}: allowed are {}".format(each, quoted(MODES)))
    return modes


def check_use_resource(use_resource: bool) -> None:
    """Raises ArgumentError unless `use_resource` is True or False."""
    if not isinstance(use_resource, bool):
        raise ArgumentError("use_resource is {!r}: give True or False".format(use_resource))


def check_devices(devices: Sequence[DeviceString]) -> None:
    """Raises ArgumentError unless `devices` is a list of at least one entry, DeviceError if one is not a device."""
    check_list(devices, "devices", "a list with one device string per tower, for example lt.devices.cpus(4)")


def check_model_fn(model_fn: ModelFn) -> None:
    """Raises ArgumentError unless `model_fn` can be called."""
    if not callable(model_fn):
        raise ArgumentError(
            "model_fn is {!r}: give a function that takes (batch, mode) and returns a TowerOutput".format(model_fn)
        )


def _check_arguments(
    batches: Sequence[Any], devices: Sequence[str], use_resource: bool
) -> None:
    check_devices(devices)
    if not isinstance(batches, (list, tuple)):
        raise ArgumentError("batches is {!r}: give a list with one batch per tower".format(batches))
    if len(batches) != len(devices):
        raise ArgumentError(
            "{} batches for {} towers: each tower needs its own batch".format(len(batches), len(devices))
        )
    check_use_resource(use_resource)


def _check_new_variables(towers: Sequence[Tower]) -> None:
    tower = towers[-1]
    if not tower.index:
        return
    new = [each for each in tower.collected.global_variables if tower.variables.group_of(each) is None]
    if not new:
        return
    trainable = {id(each) for each in tower.collected.trainable_variables}
    named = [each for each in new if id(each) in trainable] or new
    kind = "trainable variable" if id(named[0]) in trainable else "variable"
    first = [variable.op.name for variable in towers[0].collected.global_variables]
    remedy = (
        "Create it by tf.get_variable (or tf.layers) under the same name in every tower; tf.Variable creates a new one "
        "at each call"
    )
    if tower.mode != towers[0].mode:
        remedy = (
            "Tower 0 was built for mode {!r}, tower {} for {!r}: create it in every mode, under the same name, or let "
            "a later tower be the one that validates".format(towers[0].mode, tower.index, tower.mode)
        )
    raise TowerError(
        "tower {} creates the {} {}, which tower 0 does not have (it has {}): towers share the variables of tower 0. "
        "{}".format(
            tower.index, kind, quoted(variable.op.name for variable in named), quoted(first) or "none", remedy
        )
    )


def check_own_variables(variables: TowerVariables, tower: int, used: Any, missing: Sequence[str]) -> None:
    """Raises TowerError where a tower uses another tower's variables, or lacks some.

    Args:
      used: what the tower computes: anything that `session.run` could fetch, and None.
      missing: the names of variables that tower 0 created and this tower did not.
    """
    foreign = []
    # By values alone: a tower may wait for another tower's update ops without using its variables.
    for operation in walk.ancestors(used, by_control=False):
        group = variables.group_of(operation) if operation.type in VARIABLE_OPS else None
        if group is not None and (tower not in group.copies or group.copies[tower].op is not operation):
            foreign.append(str(operation.name))
    if foreign:
        raise TowerError(
            "tower {} uses the variables {}, which are not its own copies: create layers, and other objects that hold "
            "variables, inside the model function; or use a strategy with shared variables, such as "
            "lt.variables.ParameterServer(...)".format(tower, quoted(sorted(foreign)))
        )
    if missing:
        raise TowerError(
            "tower {} does not create the variables {}, which tower 0 creates: with a copy of the variables per tower "
            "each must create the same ones, by tf.get_variable or tf.layers inside the model function".format(
                tower, quoted(missing)
            )
        )
