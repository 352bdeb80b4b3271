"""The names that this room serves.

Where names of tensorflow.python moved to is in compat/old_places.py.
"""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_HERE = "legacy_towers.oldtf.changed."
_VERSION = "scripts branch on it, and the names that they meet are those of 1.15"
_FLAGS = "with `_parse_flags`, which TensorFlow 1.5 dropped"
_WIDTHS = "what numpy 2 makes a float64, and numpy 1 did not, becomes the type that was asked for"
_NOTHING = "does nothing: TensorFlow asks for no shape functions in Python since 1.0"
_SHAPE = "the result has the static shape that output_shape tells, as in 1.x"
_AXIS = "the axis may be a number of numpy's"
_WHOLE = "dimensions may be floats without a fraction, as of `units * 0.5`"
_META = "takes graphs of 1.x that train batch norm, in which TensorFlow 2 finds other static shapes"
_STANDARDIZED = "the result has the image's own floating type"
_STATISTICS = "the data pass through, and nothing is counted"

_V1 = "TensorFlow 2's own of this name has the methods of 2.x"
# Module below tensorflow.python -> names that mean another class or function there than in the public API of 1.x.
_OF_2 = {
    "framework.device.": ("DeviceSpec",),
    "data.": ("Dataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"),
    "data.experimental.": (
        "Counter",
        "CsvDataset",
        "RandomDataset",
        "SqlDataset",
        "choose_from_datasets",
        "make_batched_features_dataset",
        "make_csv_dataset",
        "sample_from_datasets",
    ),
}

_BENCHMARKS = "takes --benchmarks, which is --benchmark_filter today"
_NAMES = "takes names that absl has taken for flags of its own, such as log_dir"


def _flags(parent: str) -> Tuple[Row, ...]:
    kinds = ("bool", "boolean", "enum", "float", "integer", "list", "string")
    return (Row(parent + "FLAGS", _HERE + "flags:FLAGS", on_1_15=True, note=_FLAGS),) + tuple(
        Row(parent + "DEFINE_" + kind, _HERE + "flags:DEFINE_" + kind, on_1_15=True, note=_NAMES) for kind in kinds
    )


def _of_1() -> Tuple[Row, ...]:
    public = {"framework.device.": ""}
    return tuple(
        Row(
            "tensorflow.python." + module + name,
            "tensorflow.compat.v1:" + public.get(module, module) + name,
            note=_V1,
        )
        for module, names in _OF_2.items()
        for name in names
    )


ROWS: Tuple[Row, ...] = (
    Row("tensorflow.test.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    Row("tensorflow.python.platform.test.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    Row("tensorflow.python.platform.googletest.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    *_of_1(),
    *_flags("tensorflow.app.flags."),
    *_flags("tensorflow.flags."),
    *_flags("tensorflow.python.platform.flags."),
    Row("tensorflow.__version__", _HERE + "version:VERSION", note=_VERSION),
    Row("tensorflow.VERSION", _HERE + "version:VERSION", note=_VERSION),
    Row("tensorflow.version.VERSION", _HERE + "version:VERSION", note=_VERSION),
    Row("tensorflow.keras.__version__", _HERE + "version:KERAS_VERSION", note=_VERSION),
    Row("tensorflow.config.experimental_list_devices", _HERE + "devices:experimental_list_devices"),
    Row("tensorflow.data.experimental.latency_stats", _HERE + "data_statistics:latency_stats", note=_STATISTICS),
    Row(
        "tensorflow.data.experimental.bytes_produced_stats",
        _HERE + "data_statistics:bytes_produced_stats",
        note=_STATISTICS,
    ),
    Row("tensorflow.nn.conv2d_transpose", _HERE + "transposed:conv2d_transpose", note=_SHAPE),
    Row("tensorflow.nn.atrous_conv2d_transpose", _HERE + "transposed:atrous_conv2d_transpose", note=_SHAPE),
    Row("tensorflow.nn.conv2d_backprop_input", _HERE + "transposed:conv2d_backprop_input", note=_SHAPE),
    Row("tensorflow.python.ops.nn_ops.conv2d_transpose", _HERE + "transposed:conv2d_transpose", note=_SHAPE),
    Row(
        "tensorflow.image.per_image_standardization",
        _HERE + "standardized:per_image_standardization",
        note=_STANDARDIZED,
    ),
    Row("tensorflow.argmax", _HERE + "arguments:argmax", note=_AXIS),
    Row("tensorflow.math.argmax", _HERE + "arguments:argmax", note=_AXIS),
    Row("tensorflow.get_variable", _HERE + "shapes:get_variable", note=_WHOLE),
    Row("tensorflow.python.ops.variable_scope.get_variable", _HERE + "shapes:get_variable", note=_WHOLE),
    Row("tensorflow.placeholder", _HERE + "shapes:placeholder", note=_WHOLE),
    Row("tensorflow.python.ops.array_ops.placeholder", _HERE + "shapes:placeholder", note=_WHOLE),
    Row("tensorflow.placeholder_with_default", _HERE + "shapes:placeholder_with_default", note=_WHOLE),
    Row("tensorflow.train.import_meta_graph", _HERE + "meta_graphs:import_meta_graph", note=_META),
    Row("tensorflow.python.training.saver.import_meta_graph", _HERE + "meta_graphs:import_meta_graph", note=_META),
    Row("tensorflow.train.Int64List", _HERE + "examples:Int64List", note="of truth values too, as with older protobuf"),
    Row("tensorflow.py_func", _HERE + "py_functions:py_func", note=_WIDTHS),
    Row("tensorflow.python.ops.script_ops.py_func", _HERE + "py_functions:py_func", note=_WIDTHS),
    Row("tensorflow.numpy_function", _HERE + "py_functions:numpy_function", note=_WIDTHS),
    Row("tensorflow.python.framework.ops.RegisterShape", _HERE + "shapes:RegisterShape", note=_NOTHING),
    Row("tensorflow.python.framework.tensor_shape.scalar", _HERE + "shapes:scalar"),
    Row("tensorflow.python.framework.tensor_shape.vector", _HERE + "shapes:vector"),
    Row("tensorflow.python.framework.tensor_shape.matrix", _HERE + "shapes:matrix"),
)

# Name -> why it is not served, and what to do.
REASONS: Dict[str, str] = {
    "tensorflow.data.experimental.StatsAggregator": "TensorFlow 2 has no statistics of datasets: drop it, and trace a "
    "session run with tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)",
    "tensorflow.data.experimental.StatsOptions": "TensorFlow 2 has no statistics of datasets: drop it",
    "tensorflow.data.experimental.MapVectorizationOptions": "TensorFlow 2 dropped the rewriting that it chose: drop it",
    "tensorflow.tools.graph_transforms": "the transform tool ended with TensorFlow 1.15: "
    "tf.graph_util.remove_training_nodes and tensorflow.python.tools.optimize_for_inference_lib are what is left",
    "tensorflow.python.framework.common_shapes": "shape functions in Python are asked for by nothing since TensorFlow "
    "1.0: drop the registration",
    "tensorflow.python.training.tensorboard_logging": "it ended with TensorFlow 1.15: write a tf.summary.text",
    "tensorflow.python.debug.cli.curses_ui": "its window ended with TensorFlow 1.15: "
    'tf_debug.LocalCLIDebugWrapperSession(session, ui_type="readline") is there',
    "tensorflow.contrib.lite": "it became tf.lite",
}
