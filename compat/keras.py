"""tf.layers and tf.nn.rnn_cell from TensorFlow 2.16 on, where they need tf_keras and an environment variable.

TensorFlow decides between Keras 3 and tf_keras at the first use of either, by TF_USE_LEGACY_KERAS. With tf_keras the
names of variables and the UPDATE_OPS are those of TensorFlow 1.15; Keras 3 has neither module.
"""
import os
from typing import Any, Optional

from legacy_towers.compat import packages, versions
from legacy_towers.compat.versions import FIRST_WITH_KERAS_3, Version, dotted

FLAG = "TF_USE_LEGACY_KERAS"
# What TensorFlow itself takes for a yes.
_YES = ("1", "true", "True")
_NAMES = "tf.layers and tf.nn.rnn_cell "


def prepare(version: Version) -> None:
    """Chooses tf_keras for `version` of TensorFlow where it fits and the user has not chosen himself."""
    if version.pair >= FIRST_WITH_KERAS_3 and _package_needed(version) is None:
        os.environ.setdefault(FLAG, "1")


def problem(version: Version, loader: Any = None) -> Optional[str]:
    """Returns why tf.layers and tf.nn.rnn_cell can't work, in one sentence with what to do, None if they can.

    Args:
        version: of the running TensorFlow.
        loader: TensorFlow's own lazy module of tf.layers or tf.nn.rnn_cell, asked whether it took Keras 3 already.
    """
    if version.pair < FIRST_WITH_KERAS_3:
        return None
    need = _package_needed(version)
    if need is not None:
        return _NAMES + "need " + need
    flag = os.environ.get(FLAG)
    if flag not in _YES:
        return _NAMES + "don't exist in Keras 3, which {}={} asks for: unset {} before the program starts".format(
            FLAG, flag, FLAG
        )
    if _chose_keras_3(loader):
        return _NAMES + (
            "were used before legacy_towers.compat was imported, and TensorFlow chose Keras 3 for good: "
            "import legacy_towers.compat first"
        )
    return None


def is_keras_2() -> bool:
    """Returns whether tf.keras is Keras 2 for all that the user has chosen himself."""
    return os.environ.get(FLAG, _YES[0]) in _YES


def keras_3_problem(version: Version) -> Optional[str]:
    """Returns why tf.keras can't build what a script of TensorFlow 1.x expects of it, None if it can.

    Keras 3 fits no model where sessions run, and its batch normalization keeps no averages there, without a word. Who
    asked for it by the environment variable gets it all the same.
    """
    need = None if version.pair < FIRST_WITH_KERAS_3 or not is_keras_2() else _package_needed(version)
    return need and "the tf.keras of TensorFlow 1.x is not Keras 3, and needs " + need


def _package_needed(version: Version) -> Optional[str]:
    """Returns what is needed beside TensorFlow, and the command that installs it, None if it is there."""
    # --no-deps: tf_keras requires the distribution `tensorflow`, which would overwrite a tensorflow-cpu.
    command = 'pip install --no-deps "tf_keras=={}.*"'.format(dotted(version.pair))
    if not packages.is_importable("tf_keras"):
        return "the package tf_keras beside TensorFlow {}: {}".format(dotted(version.pair), command)
    installed = packages.tf_keras_version()
    if installed is not None and versions.parse(installed).pair != version.pair:
        return "the tf_keras of TensorFlow {}, and tf_keras {} is installed: {}".format(
            dotted(version.pair), installed, command
        )
    return None


def _chose_keras_3(loader: Any) -> bool:
    # Private: KerasLazyLoader notes its choice, and keeps it. Tried on 2.16 and 2.21; ends when TensorFlow drops
    # tf.layers. Read from the __dict__, for any other way would make it choose.
    return getattr(loader, "__dict__", {}).get("_tfll_keras_version") == "keras_3"
