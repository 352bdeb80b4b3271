"""Arguments that a function or class of TensorFlow 1.4 to 1.14 had, that 1.15 lacks, and that are not supported.

    sentence("tensorflow.train.CheckpointSaverHook", "steps_per_run")
"""
from typing import Dict, List, Optional, Tuple

_TPU = "it is about TPUs, which are not supported: remove it"
# (Name, argument) -> the versions that had it, why it is not supported, and what to do.
REFUSED: Dict[Tuple[str, str], Tuple[str, str]] = {
    ("tensorflow.train.CheckpointSaverHook", "steps_per_run"): (
        "1.8", "it is the number of steps in one run of a loop on a TPU: remove it, and count with save_steps",
    ),
    ("tensorflow.estimator.tpu.TPUEstimator", "experimental_export_device_assignment"): ("1.14", _TPU),
    ("tensorflow.data.experimental.DatasetStructure", "element_structure"): (
        "1.13 to 1.14", "it is called element_spec since 1.15",
    ),
}


def sentence(name: str, argument: str) -> Optional[str]:
    """Returns why the argument of a function or class is not supported; None if it is not in the table."""
    found = REFUSED.get((name.replace("tensorflow.compat.v1.", "tensorflow.", 1), argument))
    if found is None:
        return None
    short = "tf" + name[len("tensorflow") :]
    return "the argument {} of {} was part of TensorFlow {}, and is not supported: {}".format(argument, short, *found)


def of_argument(argument: str) -> List[str]:
    """Returns the sentences about all refused arguments of this name."""
    return [str(sentence(name, each)) for name, each in REFUSED if each == argument]
