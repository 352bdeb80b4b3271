"""Warm starts: variables are initialized from another checkpoint."""
import os
from typing import Any, NamedTuple, Optional

from legacy_towers.compat.versions import tf

VocabInfo = tf.train.VocabInfo


class _Fields(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any
    var_name_to_vocab_info: Any
    var_name_to_prev_var_name: Any


class WarmStartSettings(_Fields):
    """The arguments of tf.train.warm_start.

    Raises:
      ValueError: `ckpt_to_initialize_from` is empty.
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: Any = None,
        var_name_to_prev_var_name: Any = None,
    ) -> "WarmStartSettings":
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        infos, names = var_name_to_vocab_info or {}, var_name_to_prev_var_name or {}
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, infos, names)


def settings(warm_start_from: Any) -> Optional[WarmStartSettings]:
    """Returns the settings for `warm_start_from`: settings, or the path of a checkpoint or of a SavedModel's folder.

    Raises:
      ValueError: it has another type.
    """
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, (str, bytes)):
        raise ValueError(
            "warm_start_from must be a string or a WarmStartSettings, instead got {}".format(type(warm_start_from))
        )
    path = os.fsdecode(warm_start_from)
    of_saved_model = os.path.join(path, "variables", "variables")
    if tf.gfile.Exists(of_saved_model + ".index"):
        return WarmStartSettings(of_saved_model)
    return WarmStartSettings(path)


def start(settings_: WarmStartSettings) -> None:
    """Changes the initializers of the graph's variables to read the checkpoint."""
    tf.logging.info("Warm-starting with WarmStartSettings: %s", settings_)
    tf.train.warm_start(*settings_)
