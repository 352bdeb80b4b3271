"""One model function on several devices, with variables that all share or copies of each tower's own."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

from legacy_towers.compat import tf, variable_store
from legacy_towers.devices import check_list
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.names import quoted, tower_scope
from legacy_towers.towers.collected import Collected, CollectionRecorder
from legacy_towers.towers.losses import check_output, check_separate, total_loss, tower_losses
from legacy_towers.towers.output import MODES, TRAIN, TowerOutput
from legacy_towers.towers.own_variables import check_own_variables
from legacy_towers.towers.true_examples import TrueExamples
from legacy_towers.variables import ParameterServer, Placer, Strategy
from legacy_towers.variables.copies import TowerVariables, variables_for
from legacy_towers.variables.making import CopyMaker
from legacy_towers.variables.partitioned import Cutter

ModelFn = Callable[[Any, str], TowerOutput]
VARIABLE_KINDS = ("resource", "ref")


class Tower(NamedTuple):
    """One copy of the model.

    Attributes:
      index: 0 for the first tower.
      device: the device string that was asked for.
      scope: its name scope with a closing slash, to be entered again by `tf.name_scope(tower.scope)`.
      output: what the model function returned.
      loss: scalar tensor, the tower's own loss, over its true examples; of several losses their sum. Outside of
        training: what the model function returned, None too.
      collected: what the model function added to the graph's collections.
      placer: its device function: entered by `tf.device(tower.placer)`, it puts variables where the strategy wants them
        and everything else on the tower's device.
      variables: tells which variable this and the other towers use in place of each plain-named one.
      mode: what the model function was called with: lt.TRAIN, lt.EVAL or lt.PREDICT.
      examples: the tower's batch, and which of its rows are true examples.
      losses: in training, name of a part of the step -> scalar tensor; WHOLE -> `loss` where there is one.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    device: str
    scope: str
    output: TowerOutput
    loss: Optional[Any]
    collected: Collected
    placer: Callable[[Any], str]
    variables: TowerVariables
    mode: str = TRAIN
    examples: TrueExamples = TrueExamples()
    losses: Dict[str, Any] = {}


def replicate(
    model_fn: ModelFn,
    batches: Sequence[Any],
    devices: Sequence[str],
    variables: Optional[Strategy] = None,
    mode: Union[str, Sequence[str]] = TRAIN,
    variable_kind: str = "resource",
    counts: Optional[Sequence[Any]] = None,
    padded: bool = False,
) -> List[Tower]:
    """Calls `model_fn(batch, mode)` once per device; towers share one set of variables, or each has a copy.

    Tower 0 makes the variables, under the names that they have without towers; the later ones reuse them, whether the
    model says `reuse_variables()`, AUTO_REUSE or nothing. Each tower has a name scope (`tower_0/`, ...) and its device.

    With a strategy that has copies (`lt.variables.Replicated`, `Independent`) each tower makes its own, by
    `tf.get_variable` or `tf.layers` inside the model function, and sees these in the collections of variables and of
    regularization losses. What was made before the towers is shared. Afterwards the collections hold the plain-named
    variables and tower 0's regularization losses, as without towers; every tower's own are in `Tower.collected`.

    What each tower adds to the graph's collections stays there, summaries and update ops of an evaluation model too.

    Args:
      model_fn: takes (batch, mode) and returns a `TowerOutput`.
      batches: one nested structure of tensors per tower.
      devices: one device string per tower; towers may share a device.
      variables: where variables live; by default `lt.variables.ParameterServer("/cpu:0")`.
      mode: lt.TRAIN, lt.EVAL or lt.PREDICT; or a list with one of them per tower.
      variable_kind: "resource" (reads and writes are ordered) or "ref" (TF1's old kind, whose reads race with writes).
      counts: int32 scalar tensors, one per tower: how many rows of its batch, from the first on, are true examples; a
        loss with one value per example is averaged over these. None: all are.
      padded: whether the other rows are copies: a scalar loss, which would contain them, is refused then.

    Returns:
      The towers, in order.

    Raises:
      ArgumentError: `model_fn` can't be called; no devices, not as many batches, modes or counts as devices, an unknown
        mode or kind of variable.
      TowerError: the graph has the model's variables already, of a step that was built before; a later tower makes a
        variable that tower 0 does not have, or, with copies, lacks one or uses another tower's; a tower's loss is not
        what it should be; or rows of a variable that the strategy cuts into parts are looked up with
        partition_strategy="mod".
    """
    check_model_fn(model_fn)
    _check_arguments(batches, devices, variable_kind, variables)
    modes = _modes(mode, len(devices))
    if counts is not None and len(counts) != len(devices):
        raise ArgumentError("{} counts for {} towers: each tower needs its own".format(len(counts), len(devices)))
    strategy = variables or ParameterServer("/cpu:0")
    placer = strategy.placer()
    cutter = Cutter(strategy.partitioner)
    tower_variables = variables_for(strategy, len(devices))
    maker = CopyMaker(tower_variables, strategy)
    towers: List[Tower] = []
    before = variable_store.known_names(tf.get_default_graph())
    for index, (batch, device) in enumerate(zip(batches, devices)):
        examples = TrueExamples(batch, None if counts is None else counts[index], padded)
        try:
            tower = _build_tower(
                model_fn, examples, device, index, placer, cutter, maker, modes[index], variable_kind
            )
        except ValueError as error:
            name = variable_store.existing_name(error)
            if name not in before:
                raise
            raise TowerError(
                "the graph has a variable {!r} already, made before these towers, such as by a step that was built "
                "before: build each step in a graph of its own, inside `with tf.Graph().as_default():`. Towers that "
                "are to use the variables that are there are built inside `with tf.variable_scope("
                "tf.get_variable_scope(), reuse=tf.AUTO_REUSE):`".format(name)
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
    cutter: Cutter,
    maker: CopyMaker,
    mode: str,
    variable_kind: str,
) -> Tower:
    # Tower 0 stays as strict as the model without towers: a name made twice by mistake is an error there. Later towers
    # may not create either, but TensorFlow's own error for that names neither tower nor remedy, so we look afterwards.
    reuse = tf.AUTO_REUSE if index else None
    device_function = placer.for_tower(device)
    # Without the auxiliary name scope: inside a caller's variable scope all towers share the name scope as it is.
    with tf.variable_scope(
        tf.get_variable_scope(),
        reuse=reuse,
        use_resource=variable_kind == "resource",
        auxiliary_name_scope=False,
        **cutter.scope_options(),
    ):
        with tf.device(device_function), tf.name_scope(tower_scope(index)) as scope, maker.building(
            index, trains=mode == TRAIN
        ):
            recorder = CollectionRecorder()
            output = check_output(model_fn(examples.batch, mode), index)
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


def check_strategy(variables: Optional[Strategy]) -> None:
    """Raises ArgumentError unless `variables` is a strategy or None."""
    if variables is not None and not isinstance(variables, Strategy):
        raise ArgumentError(
            "variables is {!r}: give a strategy, such as lt.variables.ParameterServer({!r})".format(
                variables, variables if isinstance(variables, str) else "/cpu:0"
            )
        )


def check_variable_kind(variable_kind: str) -> None:
    """Raises ArgumentError if there is no such kind of variable."""
    if variable_kind not in VARIABLE_KINDS:
        raise ArgumentError("variable_kind is {!r}: allowed are {}".format(variable_kind, quoted(VARIABLE_KINDS)))


def check_devices(devices: Sequence[str]) -> None:
    """Raises ArgumentError unless `devices` is a list with at least one entry, DeviceError if one is no device."""
    check_list(devices, "devices", "a list with one device string per tower, for example lt.devices.cpus(4)")


def check_model_fn(model_fn: ModelFn) -> None:
    """Raises ArgumentError unless `model_fn` can be called."""
    if not callable(model_fn):
        raise ArgumentError(
            "model_fn is {!r}: give a function that takes (batch, mode) and returns a TowerOutput".format(model_fn)
        )


def _check_arguments(
    batches: Sequence[Any], devices: Sequence[str], variable_kind: str, variables: Optional[Strategy]
) -> None:
    check_devices(devices)
    if not isinstance(batches, (list, tuple)):
        raise ArgumentError("batches is {!r}: give a list with one batch per tower".format(batches))
    if len(batches) != len(devices):
        raise ArgumentError(
            "{} batches for {} towers: each tower needs its own batch".format(len(batches), len(devices))
        )
    check_variable_kind(variable_kind)
    check_strategy(variables)


def _check_new_variables(towers: Sequence[Tower]) -> None:
    tower = towers[-1]
    if not tower.index:
        return
    new = [each for each in tower.collected.global_variables if tower.variables.group_of(each) is None]
    if not new:
        return
    trainable = {id(each) for each in tower.collected.trainable_variables}
    made = [each for each in new if id(each) in trainable] or new
    kind = "trainable variable" if id(made[0]) in trainable else "variable"
    first = [variable.op.name for variable in towers[0].collected.global_variables]
    remedy = (
        "Make it by tf.get_variable (or tf.layers) under the same name in every tower; tf.Variable makes a new one at "
        "each call"
    )
    if tower.mode != towers[0].mode:
        remedy = (
            "Tower 0 was built for mode {!r}, tower {} for {!r}: make it in every mode, under the same name, or let "
            "a later tower be the one that validates".format(towers[0].mode, tower.index, tower.mode)
        )
    raise TowerError(
        "tower {} creates the {} {}, which tower 0 does not have (it has {}): towers share the variables of tower 0. "
        "{}".format(
            tower.index, kind, quoted(variable.op.name for variable in made), quoted(first) or "none", remedy
        )
    )
