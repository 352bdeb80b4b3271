"""What all objectives of a step share while it is built: the towers, and the choices made for the step."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.gradients.base import Reduction
from legacy_towers.gradients.tower_weights import normalized_tower_weights
from legacy_towers.graph.shared_batches import check_distinct_batches
from legacy_towers.inputs.base import TowerBatches
from legacy_towers.step.asynchronous import weights_in_run
from legacy_towers.tensor_types import DeviceString, Tensor, Variable
from legacy_towers.text.names import quoted
from legacy_towers.towers.connected_towers import CrossTowerTensors
from legacy_towers.towers.metrics import mean_metrics, validation_loss
from legacy_towers.towers.output import TRAIN
from legacy_towers.towers.replicate import ModelFn, Tower, replicate
from legacy_towers.variables import Strategy
from legacy_towers.variables.tower_variables import TowerVariables


class StepTowers(NamedTuple):
    """The towers of a step.

    Attributes:
      all: all towers.
      training: the towers that train.
      validating: the others.
      cross_tower: the tensors that layers such as `lt.cross_tower_batch_norm` pass between towers.
    """

    all: List[Tower]
    training: List[Tower]
    validating: List[Tower]
    cross_tower: CrossTowerTensors


class StepOptions(NamedTuple):
    """The arguments of `build_train_step` that hold for all objectives, checked and with their defaults filled in."""

    strategy: Strategy
    reduction: Reduction
    on_missing: str
    update_ops: str
    summary_tower: int
    moving_average_decay: Optional[float]
    use_resource: bool
    skip_nonfinite: bool = False
    workers: Optional[Workers] = None


class Setup(NamedTuple):
    """The towers of a step, and what was computed of them, for all objectives.

    Attributes:
      towers, training, validating, cross_tower: as in `StepTowers`.
      batches: what the input pipeline built.
      options: the choices for the step.
      global_step: the global step variable.
      host: a CPU of the machine that the step runs on.
      counts: int32 scalar tensor per training tower, its number of true examples; None where batches are always full.
      tower_weights: the weight of each training tower in a mean over towers; None: all weigh the same.
      moving_averages: a `tf.train.ExponentialMovingAverage`, or None.
      regularization_losses: scalar tensors, those of the graph.
      validation_loss: scalar tensor, the mean over the validating towers; None if there are none.
      validation_metrics: name -> scalar tensor, the mean over the validating towers.
    """

    towers: List[Tower]
    training: List[Tower]
    validating: List[Tower]
    cross_tower: CrossTowerTensors
    batches: TowerBatches
    options: StepOptions
    global_step: Variable
    host: DeviceString
    counts: Optional[List[Tensor]]
    tower_weights: Optional[List[Tensor]]
    moving_averages: Optional[Any]
    regularization_losses: List[Tensor]
    validation_loss: Optional[Tensor]
    validation_metrics: Dict[str, Tensor]

    @property
    def strategy(self) -> Strategy:
        """Where variables live and how they are updated."""
        return self.options.strategy

    @property
    def variables(self) -> TowerVariables:
        """Which variable each tower uses."""
        return self.towers[0].variables

    @property
    def before_writes(self) -> List[Tensor]:
        """Tensors that must be computed before a variable is written.

        Validating towers read the variables from before the step, as the towers that train do.
        """
        return ([] if self.validation_loss is None else [self.validation_loss]) + list(
            self.validation_metrics.values()
        )


def build_towers(
    model_fn: ModelFn,
    batches: TowerBatches,
    devices: Sequence[DeviceString],
    strategy: Strategy,
    use_resource: bool,
) -> StepTowers:
    """Builds the model on each device, each tower in the mode that its batch is for.

    Raises:
      InputError: no tower trains.
      TowerError: the towers don't fit together; see `replicate`.
    """
    modes = _modes(batches, len(devices))
    cross_tower = CrossTowerTensors(modes, batches.counts, batches.padded, strategy)
    towers = replicate(
        cross_tower.wrap(model_fn),
        batches.per_tower,
        devices,
        strategy,
        modes,
        use_resource,
        batches.counts,
        batches.padded,
    )
    return StepTowers(
        towers,
        [tower for tower in towers if tower.mode == TRAIN],
        [tower for tower in towers if tower.mode != TRAIN],
        cross_tower,
    )


def build_setup(
    towers: StepTowers, batches: TowerBatches, options: StepOptions, global_step: Variable, host: DeviceString
) -> Setup:
    """Returns the setup of a step: the towers' weights, validation loss and metrics, and moving averages."""
    counts = _counts_of(towers.training, batches)
    tower_weights = weights_in_run(options.strategy, counts, len(towers.training), options.workers)
    validation_weights = normalized_tower_weights(_counts_of(towers.validating, batches), len(towers.validating))
    validated = validation_loss(towers.validating, validation_weights)
    validation_metrics = mean_metrics(towers.validating, validation_weights)
    moving_averages = None
    if options.moving_average_decay is not None:
        moving_averages = tf.train.ExponentialMovingAverage(options.moving_average_decay, global_step)
    return Setup(
        towers=towers.all,
        training=towers.training,
        validating=towers.validating,
        cross_tower=towers.cross_tower,
        batches=batches,
        options=options,
        global_step=global_step,
        host=host,
        counts=counts,
        tower_weights=tower_weights,
        moving_averages=moving_averages,
        regularization_losses=tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES),
        validation_loss=validated,
        validation_metrics=validation_metrics,
    )


def _modes(batches: TowerBatches, towers: int) -> List[str]:
    if batches.modes is None:
        return [TRAIN] * towers
    if TRAIN not in batches.modes:
        raise InputError("the modes of the towers are {}: at least one must train".format(quoted(batches.modes)))
    return list(batches.modes)


def check_distinct_examples(training: Sequence[Tower], batches: TowerBatches) -> None:
    """Raises InputError where two towers train on the same examples, unless the input says that this is intended."""
    if batches.shared_by_towers:
        return
    try:
        check_distinct_batches([tower.loss for tower in training], [tower.index for tower in training], batches.shared)
    except InputError as error:
        raise InputError(
            "{} If this is intended: lt.inputs.from_tensors(per_tower=[...], shared_by_towers=True)".format(error)
        ) from None


def _counts_of(towers: Sequence[Tower], batches: TowerBatches) -> Optional[List[Tensor]]:
    """Returns each tower's number of true examples, int32 scalars; None where batches are always full."""
    return [tower.examples.count for tower in towers] if batches.counts is not None and towers else None
