"""The feature specs that parse serialized examples for a canned estimator."""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat.versions import tf


def classifier_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = None,
    label_default: Any = None,
    weight_column: Any = None,
) -> Dict[str, Any]:
    """Returns the feature spec for tf.parse_example of the columns, the label (int64 by default) and the weights.

    Raises:
      ValueError: `label_key` is the name of a feature.
    """
    dtype = label_dtype if label_dtype is not None else tf.int64
    return _with_label(feature_columns, label_key, tf.FixedLenFeature((1,), dtype, label_default), weight_column)


def regressor_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = None,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> Dict[str, Any]:
    """Returns the feature spec for tf.parse_example of the columns, the label (float32 by default) and the weights.

    Raises:
      ValueError: `label_key` is the name of a feature.
    """
    dtype = label_dtype if label_dtype is not None else tf.float32
    label = tf.FixedLenFeature((label_dimension,), dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(columns: Sequence[Any], key: str, label: Any, weight_column: Optional[Any]) -> Dict[str, Any]:
    spec = dict(tf.feature_column.make_parse_example_spec(columns))
    if key in spec:
        raise ValueError("label should not be used as feature. label_key: {}, features: {}".format(key, sorted(spec)))
    spec[key] = label
    if weight_column is not None:
        if isinstance(weight_column, str):
            weight_column = tf.feature_column.numeric_column(weight_column)
        spec.update(tf.feature_column.make_parse_example_spec([weight_column]))
    return spec
