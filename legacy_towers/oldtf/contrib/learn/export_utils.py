"""tf.contrib.learn.utils: what exports take and keep."""
import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.learn.graph_actions import (
    ExportStrategy,
    InputFnOps,
    build_parsing_serving_input_fn,
    make_export_strategy,
)
from legacy_towers.oldtf.estimator import exporters

__all__ = [
    "ExportStrategy",
    "InputFnOps",
    "build_default_serving_input_fn",
    "build_parsing_serving_input_fn",
    "garbage_collect_exports",
    "get_most_recent_export",
    "make_export_strategy",
    "make_parsing_export_strategy",
]


def build_default_serving_input_fn(
    features: Dict[str, Any], default_batch_size: Optional[int] = None
) -> Callable[[], InputFnOps]:
    """Returns a function that makes a placeholder for each of `features`, tensors whose first axis is the batch."""

    def serving_input_fn() -> InputFnOps:
        given = {}
        for name, tensor in features.items():
            shape = [default_batch_size] + tensor.shape.as_list()[1:]
            given[name] = tf.placeholder(tensor.dtype, shape, name=tensor.op.name)
        return InputFnOps(given, None, given)

    return serving_input_fn


def make_parsing_export_strategy(
    feature_columns: Sequence[Any],
    default_output_alternative_key: Optional[str] = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: Optional[int] = 5,
    target_core: bool = False,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """Returns the strategy whose models parse serialized examples of `feature_columns`.

    Raises:
      ValueError: `target_core`, which takes feature columns of tf.feature_column and an Estimator of tf.estimator.
    """
    if target_core:
        raise ValueError("target_core=True is not served: tf.estimator.FinalExporter exports an Estimator of the core")
    from legacy_towers.oldtf.contrib.layers import feature_column

    parsed = build_parsing_serving_input_fn(feature_column.create_feature_spec_for_parsing(feature_columns))
    return make_export_strategy(
        parsed, default_output_alternative_key, assets_extra, as_text, exports_to_keep, strip_default_attrs
    )


class Path(NamedTuple):
    path: str
    export_version: int


def get_most_recent_export(export_dir_base: str) -> Optional[Path]:
    """Returns the folder of the last export below `export_dir_base` and its number, None where there is none."""
    names = [name.rstrip("/") for name in tf.gfile.ListDirectory(export_dir_base)]
    versions = [int(name) for name in names if name.isdigit()]
    return Path(os.path.join(export_dir_base, str(max(versions))), max(versions)) if versions else None


def garbage_collect_exports(export_dir_base: str, exports_to_keep: Optional[int]) -> None:
    """Deletes all but the last `exports_to_keep` exports; None keeps them all."""
    if exports_to_keep is not None:
        exporters._delete_old(export_dir_base, exports_to_keep)
