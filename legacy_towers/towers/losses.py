"""One tower's loss: what the model function returned, or what it collected; and the checks on both."""
from typing import Any, Optional, Sequence

from legacy_towers import graph_walk
from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.names import quoted
from legacy_towers.towers.collected import Collected
from legacy_towers.towers.output import TowerOutput

_RETURN = "a model function returns lt.TowerOutput(loss=<scalar tensor>, ...)"


def check_output(output: Any, index: int) -> TowerOutput:
    """Returns `output` if it is a TowerOutput; raises TowerError, which names the tower, if not."""
    if isinstance(output, TowerOutput):
        return output
    raise TowerError(
        "the model function returned {} for tower {}: {}".format(
            "nothing" if output is None else "a " + type(output).__name__, index, _RETURN
        )
    )


def tower_loss(output: TowerOutput, collected: Collected, index: int) -> Any:
    """Returns the scalar training loss of one tower.

    Raises:
      TowerError: there is no loss, it is not a floating-point scalar, or it leaves out what the tower itself put into
        the collection 'losses'.
    """
    if output.loss is None:
        if not collected.losses:
            raise TowerError(
                "the model function returned no loss for tower {} and put none into the collection 'losses': "
                "{}".format(index, _RETURN)
            )
        for loss in collected.losses:
            _check_scalar(loss, index)
        return tf.add_n(collected.losses, name="loss") if len(collected.losses) > 1 else collected.losses[0]
    _check_scalar(output.loss, index)
    _check_complete(output.loss, collected.losses, index)
    return output.loss


def check_separate(losses: Sequence[Any], collected: Sequence[Collected]) -> None:
    """Raises TowerError where a tower's loss contains another tower's entry of the collection 'losses'.

    This is what `tf.get_collection('losses')` without the tower's scope does: every tower also trains on the examples
    of the towers before it.
    """
    for index, loss in enumerate(losses):
        ancestors = graph_walk.ancestors([loss])
        for other, theirs in enumerate(collected):
            mixed = [entry for entry in theirs.losses if other != index and entry.op in ancestors]
            if mixed:
                raise TowerError(
                    "the loss of tower {} contains {!r}, which tower {} put into the collection 'losses': "
                    "tf.get_collection('losses') returns the losses of all towers so far. Return "
                    "TowerOutput(loss=None) to have each tower's own entries summed".format(index, mixed[0].name, other)
                )


def _check_scalar(loss: Any, index: int) -> None:
    shape: Optional[Any] = getattr(loss, "shape", None)
    if not tf.is_tensor(loss) or shape is None:
        raise TowerError(
            "the loss of tower {} is a {}, not a tensor: {}".format(index, type(loss).__name__, _RETURN)
        )
    if shape.ndims not in (None, 0):
        raise TowerError(
            "the loss of tower {} ({!r}) has shape {}, not that of a scalar: reduce it, for example with "
            "tf.reduce_mean".format(index, loss.name, shape)
        )
    if not loss.dtype.is_floating:
        raise TowerError(
            "the loss of tower {} ({!r}) is {}, not a floating-point number".format(index, loss.name, loss.dtype.name)
        )


def _check_complete(loss: Any, entries: Sequence[Any], index: int) -> None:
    if not entries:
        return
    ancestors = graph_walk.ancestors([loss])
    left_out = [entry.name for entry in entries if entry.op not in ancestors]
    if left_out:
        raise TowerError(
            "tower {} put {} into the collection 'losses', but the loss it returned ({!r}) does not contain {}: return "
            "TowerOutput(loss=None) to have the collection summed, or keep what is no loss out of it "
            "(tf.losses.*(loss_collection=None))".format(
                index, quoted(left_out), loss.name, "it" if len(left_out) == 1 else "them"
            )
        )
