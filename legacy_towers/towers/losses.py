"""One tower's loss: what the model function returned, or what it added to the collection 'losses'; checks of both."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.graph import walk
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import quoted
from legacy_towers.towers.collections import Collected
from legacy_towers.towers.output import WHOLE, TowerOutput
from legacy_towers.towers.true_examples import TrueExamples

_EXPECTED = "a model function returns lt.TowerOutput(loss=<scalar tensor, or one value per example>, ...)"


def check_output(output: Any, index: int) -> TowerOutput:
    """Returns `output`; raises TowerError, which names the tower, unless it is a TowerOutput with a dict of metrics."""
    if isinstance(output, TowerOutput):
        if output.metrics is not None and not isinstance(output.metrics, dict):
            raise TowerError(
                "the metrics of tower {} are {!r}: give a dict, name -> tensor".format(index, output.metrics)
            )
        return output
    raise TowerError(
        "the model function returned {} for tower {}: {}".format(
            "nothing" if output is None else "a " + type(output).__name__, index, _EXPECTED
        )
    )


def tower_losses(output: TowerOutput, collected: Collected, examples: TrueExamples, index: int) -> Dict[str, Tensor]:
    """Returns name of an objective -> its scalar training loss in one tower; with a single loss, WHOLE -> this loss.

    Raises:
      TowerError: as `tower_loss`, for any of them.
    """
    if not isinstance(output.loss, dict):
        return {WHOLE: tower_loss(output, collected, examples, index)}
    if not output.loss or not all(isinstance(name, str) and name for name in output.loss):
        raise TowerError(
            "the losses of tower {} are {}: the keys of a dict of losses are the names of objectives".format(
                index, quoted(output.loss) or "none"
            )
        )
    losses = {name: _mean_loss(loss, examples, index) for name, loss in output.loss.items()}
    _check_complete(list(output.loss.values()), collected.losses, index)
    return losses


def total_loss(losses: Dict[str, Tensor]) -> Tensor:
    """Returns the sum of a tower's losses; a single one as it is."""
    terms = list(losses.values())
    return tf.add_n(terms, name="losses") if len(terms) > 1 else terms[0]


def tower_loss(output: TowerOutput, collected: Collected, examples: TrueExamples, index: int) -> Tensor:
    """Returns the scalar training loss of one tower: the mean over its true examples.

    Raises:
      TowerError: there is no loss; it is neither a floating-point scalar nor a vector with one value per example; it is
        a scalar where rows are padding; or it leaves out what the tower itself added to the collection 'losses'.
    """
    if output.loss is None:
        if not collected.losses:
            raise TowerError(
                "the model function returned no loss for tower {} and added none to the collection 'losses': "
                "{}".format(index, _EXPECTED)
            )
        terms = [_mean_loss(loss, examples, index) for loss in collected.losses]
        return tf.add_n(terms, name="loss") if len(terms) > 1 else terms[0]
    loss = _mean_loss(output.loss, examples, index)
    _check_complete([output.loss], collected.losses, index)
    return loss


def check_separate(losses: Sequence[Optional[Tensor]], collected: Sequence[Collected]) -> None:
    """Raises TowerError where a tower's loss contains another tower's entry of the collection 'losses'.

    `tf.get_collection('losses')` without the tower's scope causes this: every tower then also trains on the examples of
    the towers before it.
    """
    for index, loss in enumerate(losses):
        if loss is None:
            continue
        ancestors = walk.ancestors([loss])
        for other, theirs in enumerate(collected):
            mixed = [entry for entry in theirs.losses if other != index and entry.op in ancestors]
            if mixed:
                raise TowerError(
                    "the loss of tower {} contains {!r}, which tower {} added to the collection 'losses': "
                    "tf.get_collection('losses') returns the losses of all towers so far. Return "
                    "TowerOutput(loss=None) to have each tower's own entries summed".format(index, mixed[0].name, other)
                )


def _mean_loss(loss: Tensor, examples: TrueExamples, index: int) -> Tensor:
    shape: Optional[Any] = getattr(loss, "shape", None)
    if not tf.is_tensor(loss) or shape is None:
        raise TowerError(
            "the loss of tower {} is a {}, not a tensor: {}".format(index, type(loss).__name__, _EXPECTED)
        )
    if shape.ndims not in (None, 0, 1):
        raise TowerError(
            "the loss of tower {} ({!r}) has shape {}: return a scalar, for example by tf.reduce_mean, or a vector "
            "with one loss per example".format(index, loss.name, shape)
        )
    if not loss.dtype.is_floating:
        raise TowerError(
            "the loss of tower {} ({!r}) is {}, not a floating-point number".format(index, loss.name, loss.dtype.name)
        )
    if examples.count is not None and not walk.depends_on(loss, examples.batch):
        # Not a loss of the batch, so padding is not in it: weight decay in the collection, or a loss of random noise.
        examples = TrueExamples()
    if shape.ndims == 1:
        return examples.mean(loss, "the loss of tower {} ({!r})".format(index, loss.name))
    if examples.padded:
        raise TowerError(
            'the loss of tower {} ({!r}) {}: remainder="pad" fills the last batch with copies, which only a loss per '
            "example can leave out. Return a vector of losses (no tf.reduce_mean; in tf.losses.* "
            'reduction=tf.losses.Reduction.NONE), or use remainder="short"'.format(
                index, loss.name, "is a scalar" if shape.ndims == 0 else "has an unknown shape"
            )
        )
    return loss if shape.ndims == 0 else tf.reduce_mean(loss)


def _check_complete(losses: List[Tensor], entries: Sequence[Tensor], index: int) -> None:
    if not entries:
        return
    ancestors = walk.ancestors(losses)
    left_out = [entry.name for entry in entries if entry.op not in ancestors]
    if left_out:
        raise TowerError(
            "tower {} added {} to the collection 'losses', but the loss it returned ({!r}) does not contain {}: return "
            "TowerOutput(loss=None) to have the collection summed, or keep out of it what is not a training loss "
            "(tf.losses.*(loss_collection=None))".format(
                index, quoted(left_out), losses[0].name, "it" if len(left_out) == 1 else "them"
            )
        )
