"""The evaluations of a run, remembered beside its checkpoints: a resumed run counts on from them."""
import os
import warnings
from typing import List

from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.sealed import seal, unseal
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.evaluator import Evaluation

HISTORY_FILE = "evaluations.json"


def evaluations_folder(directory: str) -> str:
    """Returns the directory of an evaluator's evaluations, in that of the checkpoints."""
    return os.path.join(directory, "eval")


def read_history(directory: str, step: int) -> List[Evaluation]:
    """Returns the evaluations of a run up to a global step, in the order of the steps.

    Later ones are of steps that a resumed run makes, and evaluates, again. If the file is damaged, a warning says that
    they are counted again.
    """
    path = os.path.join(directory, HISTORY_FILE)
    if not files.exists(path):
        return []
    try:
        found = [
            Evaluation(int(each["step"]), int(each["examples"]), {
                str(name): float(value) for name, value in each["metrics"].items()
            })
            for each in unseal(files.read(path))["evaluations"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        warnings.warn(
            "{} is damaged ({}): the evaluations before step {} are forgotten, and early stopping counts from "
            "here".format(path, error, step),
            stacklevel=2,
        )
        return []
    return [each for each in found if each.step <= step]


def write_history(store: CheckpointStore, evaluations: List[Evaluation]) -> None:
    """Writes the evaluations of a run.

    Raises:
      SaveError: they can't be written.
    """
    content = seal({"evaluations": [dict(each._asdict()) for each in evaluations]})
    store.write_text(HISTORY_FILE, content.decode("utf-8"))
