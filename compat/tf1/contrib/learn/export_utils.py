"""tf.contrib.learn.utils: serving input functions, export strategies and garbage collection of exports."""
import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from legacy_towers.compat.tf1.contrib.learn.graph_actions import (
    ExportStrategy,
    InputFnOps,
    build_parsing_serving_input_fn,
    make_export_strategy,
)
from legacy_towers.compat.tf1.estimator.export import exporters
from legacy_towers.compat.versions import tf

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
    """Returns a serving input function with a placeholder [default_batch_size, ...] for each tensor of `features`."""

    def serving_input_fn() -> InputFnOps:
        placeholders = {}
        for name, tensor in features.items():
            shape = [default_batch_size] + tensor.shape.as_list()[1:]
            placeholders[name] = tf.placeholder(tensor.dtype, shape, name=tensor.op.name)
        return InputFnOps(placeholders, None, placeholders)

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
    """Returns an ExportStrategy whose SavedModels parse serialized tf.train.Example protos.

    Args:
      feature_columns: columns of tf.contrib.layers.

    Raises:
      ValueError: `target_core` is true.
    """
    if target_core:
        raise ValueError(
            "target_core=True is not supported: use tf.estimator.FinalExporter to export a tf.estimator.Estimator"
        )
    from legacy_towers.compat.tf1.contrib.layers import feature_column

    serving_input_fn = build_parsing_serving_input_fn(feature_column.create_feature_spec_for_parsing(feature_columns))
    return make_export_strategy(
        serving_input_fn, default_output_alternative_key, assets_extra, as_text, exports_to_keep, strip_default_attrs
    )


class Path(NamedTuple):
    """An export's folder and its version, a timestamp."""

    path: str
    export_version: int


def get_most_recent_export(export_dir_base: str) -> Optional[Path]:
    """Returns the `Path` of the export with the highest version in `export_dir_base`, None where there is none."""
    names = [name.rstrip("/") for name in tf.gfile.ListDirectory(export_dir_base)]
    versions = [int(name) for name in names if name.isdigit()]
    return Path(os.path.join(export_dir_base, str(max(versions))), max(versions)) if versions else None


def garbage_collect_exports(export_dir_base: str, exports_to_keep: Optional[int]) -> None:
    """Deletes all but the newest `exports_to_keep` exports; None keeps all."""
    if exports_to_keep is not None:
        exporters._delete_old(export_dir_base, exports_to_keep)
