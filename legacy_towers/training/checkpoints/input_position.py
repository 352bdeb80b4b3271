"""The position of the input in a checkpoint: a file of its own, whose checksum the manifest has.

    model.ckpt-500.input    {"examples": 16000, "seed": 7, ...}
"""
from typing import Any, Dict, Optional

from legacy_towers.data.item_log import check_saved
from legacy_towers.errors import JobError
from legacy_towers.inputs.count_steps import position_of
from legacy_towers.inputs.position import Resumed
from legacy_towers.inputs.queues.packed_ids import unpacked
from legacy_towers.tensor_types import Graph
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.sealed import seal, unseal

SUFFIX = ".input"


def position_file(graph: Graph) -> Dict[str, bytes]:
    """Returns suffix -> content of the file with the position of the graph's input; {} if it has none at the moment."""
    position = position_of(graph)
    return {} if position is None or not position.is_settled() else {SUFFIX: seal(position.state())}


def resume_input(graph: Graph, prefix: str) -> Optional[Resumed]:
    """Lets the graph's input continue where it was when a checkpoint was saved; None if the graph has no position."""
    position = position_of(graph)
    return None if position is None else position.restore(read_position(prefix))


def read_position(prefix: str) -> Optional[Dict[str, Any]]:
    """Returns the position that a checkpoint has; None without one.

    Raises:
      JobError: its file is damaged.
    """
    if not files.exists(prefix + SUFFIX):
        return None
    try:
        return _checked(unseal(files.read(prefix + SUFFIX)))
    except (ValueError, KeyError, TypeError) as error:
        raise JobError("{}{} is damaged: {}: remove the files of this checkpoint to use an earlier one".format(
            prefix, SUFFIX, error
        )) from error


def _checked(state: Dict[str, Any]) -> Dict[str, Any]:
    """Returns a position; raises ValueError if one of its values is none that is ever saved."""
    for name in ("examples", "seed", "epoch", "epochs") + (("epochs_done",) if "ids" in state else ()):
        value = state[name]
        is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2 ** 62
        if not is_count and (value is not None or name in ("examples", "epochs_done")):
            raise ValueError("{} is {!r:.40}".format(name, value))
    if not isinstance(state["stream"], str):
        raise ValueError("stream is {!r:.40}".format(state["stream"]))
    if state.get("iterator") is not None:
        check_saved(state["iterator"])
    if "ids" in state:
        unpacked(state["ids"], state["examples"])
    return state
