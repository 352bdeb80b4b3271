"""tf.layers, tf.nn.rnn_cell and tf.keras from TensorFlow 2.16 on, where Keras 2 is the package tf_keras.

With tf_keras the names of variables and the UPDATE_OPS are those of TensorFlow 1.15; Keras 3 has neither tf.layers nor
tf.nn.rnn_cell. TensorFlow itself uses tf_keras if TF_USE_LEGACY_KERAS=1 is set, for the whole process. This module
imports from tf_keras directly instead, so that `tensorflow.keras` does not change for other code in the process.
"""
import importlib
import os
import types
from typing import Any, List, Optional

from legacy_towers.compat.versions import packages, supported
from legacy_towers.compat.versions.supported import FIRST_WITH_KERAS_3, Version, dotted

FLAG = "TF_USE_LEGACY_KERAS"
# The values of the flag that TensorFlow itself treats as true.
_YES = ("1", "true", "True")
_NAMES = "tf.layers and tf.nn.rnn_cell "


# The modules of tf_keras that TensorFlow itself uses for its TF1 API. Tried on 2.16 and 2.21.
_TF_KERAS = "tf_keras.api._v1.keras"
LAYERS = _TF_KERAS + ".__internal__.legacy.layers"
RNN_CELL = _TF_KERAS + ".__internal__.legacy.rnn_cell"


class LazyModule(types.ModuleType):
    """The module `target`, imported at the first use of an attribute: importing tf_keras takes seconds."""

    def __init__(self, name: str, target: str) -> None:
        super().__init__(name)
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__dict__["_target"]), name)

    def __dir__(self) -> List[str]:
        return dir(importlib.import_module(self.__dict__["_target"]))


def uses_tf_keras(version: Version) -> bool:
    """Returns whether tf.keras comes from tf_keras: it fits TensorFlow `version`, and the user has not disabled it."""
    return version.pair >= FIRST_WITH_KERAS_3 and is_keras_2() and _package_needed(version) is None


def tf_keras() -> Any:
    """Returns tf.keras of the TF1 API from tf_keras."""
    return importlib.import_module(_TF_KERAS)


def choose_for_process(version: Version) -> None:
    """Makes `tensorflow.keras` tf_keras for the whole process, unless the user has set the flag.

    Use it in the process of an old script, where other libraries build layers too. Call it before TensorFlow is
    imported: TensorFlow reads the flag at import.
    """
    if uses_tf_keras(version):
        os.environ.setdefault(FLAG, "1")


def problem(version: Version) -> Optional[str]:
    """Returns one sentence on why tf.layers and tf.nn.rnn_cell can't work and what to do; None if they can."""
    if version.pair < FIRST_WITH_KERAS_3:
        return None
    need = _package_needed(version)
    if need is not None:
        return _NAMES + "need " + need
    if not is_keras_2():
        return _NAMES + "don't exist in Keras 3, which {}={} selects: unset {} before the program starts".format(
            FLAG, os.environ.get(FLAG), FLAG
        )
    return None


def is_keras_2() -> bool:
    """Returns whether the flag, unset or set by the user, selects Keras 2."""
    return os.environ.get(FLAG, _YES[0]) in _YES


def keras_3_problem(version: Version) -> Optional[str]:
    """Returns one sentence on why tf.keras can't build the models of a TensorFlow 1.x script; None if it can.

    In graph mode Keras 3 can't fit a model, and its batch normalization silently keeps no moving averages. A user who
    selects Keras 3 with the flag gets it all the same.
    """
    need = None if version.pair < FIRST_WITH_KERAS_3 or not is_keras_2() else _package_needed(version)
    return need and "the tf.keras of TensorFlow 1.x is not Keras 3, and needs " + need


def _package_needed(version: Version) -> Optional[str]:
    """Returns which package TensorFlow needs and the command that installs it; None if it is installed."""
    # --no-deps: tf_keras requires the distribution `tensorflow`, which would overwrite a tensorflow-cpu.
    command = 'pip install --no-deps "tf_keras=={}.*"'.format(dotted(version.pair))
    if not packages.is_importable("tf_keras"):
        return "the package tf_keras beside TensorFlow {}: {}".format(dotted(version.pair), command)
    installed = packages.tf_keras_version()
    if installed is not None and supported.parse(installed).pair != version.pair:
        return "the tf_keras of TensorFlow {}, but tf_keras {} is installed: {}".format(
            dotted(version.pair), installed, command
        )
    return None
