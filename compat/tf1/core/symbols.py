"""The names of TensorFlow's core that this package supports.

compat/tf1/private/moved_names.py has the names of tensorflow.python that were moved.
"""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.core import replaced_functions
from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.core."
_VERSION = "scripts branch on it, and the API is that of 1.15"
_FLAGS = "with `_parse_flags`, which TensorFlow 1.5 dropped"
_WIDTHS = "results that numpy 2 makes float64 are cast to `Tout`, the dtype that numpy 1 gave"
_NOTHING = "has no effect: TensorFlow 1.0 and later do not call shape functions in Python"
_SHAPE = "the result has the static shape `output_shape`, as in 1.x"
_AXIS = "`axis` may be a numpy integer"
_LENGTH = "the result has one dimension where the rank of `start` is unknown, as in 1.15"
_WHOLE = "dimensions may be whole floats, such as `units * 0.5`"
_META = "imports graphs of 1.x that train batch norm, for which TensorFlow 2 infers other static shapes"
_STANDARDIZED = "the result has the floating dtype of the image"
_STATISTICS = "the dataset is returned unchanged, and nothing is counted"

_V1 = "TensorFlow 2's class or function of this name has the API of 2.x"
# Module below tensorflow.python -> names that are another class or function there than in the public API of 1.x.
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

_BENCHMARKS = "accepts --benchmarks, which is --benchmark_filter today"
_NAMES = "accepts names of flags that absl defines too, such as log_dir"


def _flags(parent: str) -> Tuple[Symbol, ...]:
    kinds = ("bool", "boolean", "enum", "float", "integer", "list", "string")
    return (Symbol(parent + "FLAGS", _HERE + "flags:FLAGS", on_1_15=True, note=_FLAGS),) + tuple(
        Symbol(parent + "DEFINE_" + kind, _HERE + "flags:DEFINE_" + kind, on_1_15=True, note=_NAMES) for kind in kinds
    )


# Name -> where it is, and the versions that had it, or the arguments that 1.15 no longer takes.
_EARLIER: Dict[str, Tuple[str, str]] = {
    "autograph.experimental.Verbosity": ("Verbosity", "of TensorFlow 1.13"),
    "autograph.to_code": ("to_code", "with `experimental_partial_types` of 1.13, without effect"),
    "autograph.to_graph": ("to_graph", "with the arguments of 1.13 about messages, without effect"),
    "data.experimental.NestedStructure": ("NestedStructure", "of 1.13 and 1.14: the structure itself"),
    "data.experimental.SparseTensorStructure": ("SparseTensorStructure", "with `dense_shape` of 1.13 and 1.14"),
    "data.experimental.filter_for_shard": ("filter_for_shard", "of TensorFlow 1.13"),
    "data.experimental.set_stats_aggregator": ("set_stats_aggregator", "of 1.12; " + _STATISTICS),
    "keras.preprocessing.image.apply_transform": ("apply_transform", "of 1.4 to 1.8, linear as in 1.8"),
    "keras.preprocessing.image.flip_axis": ("flip_axis", "of TensorFlow 1.4 to 1.8"),
    "keras.preprocessing.image.random_channel_shift": ("random_channel_shift", "with `intensity` of 1.4 to 1.8"),
    "keras.utils.GeneratorEnqueuer": ("GeneratorEnqueuer", "with `wait_time` and `seed` of 1.4 to 1.12"),
    "nn.softmax_cross_entropy_with_logits_v2": (
        "softmax_cross_entropy_with_logits_v2", "with `_sentinel` of 1.8 to 1.12",
    ),
}


def _of_earlier() -> Tuple[Symbol, ...]:
    return tuple(
        Symbol("tensorflow." + name, _HERE + "earlier:" + target, on_1_15=True, note=note)
        for name, (target, note) in _EARLIER.items()
    )


_UNKNOWN = "an image of unknown rank is [height, width, channels], as in 1.15"
_HALVES = "accepts float16, computed in float32"
_NUMPY = "of a numpy array the result is float32, as in 1.15"
_IMAGES: Dict[str, str] = {
    "flip_left_right": _UNKNOWN,
    "flip_up_down": _UNKNOWN,
    "random_flip_left_right": _UNKNOWN,
    "random_flip_up_down": _UNKNOWN,
    "rot90": _UNKNOWN,
    "transpose": _UNKNOWN,
    "transpose_image": _UNKNOWN,
    "adjust_jpeg_quality": _UNKNOWN,
    "random_jpeg_quality": _UNKNOWN,
    "adjust_contrast": _HALVES,
    "adjust_hue": _HALVES,
    "adjust_saturation": _HALVES,
    "random_contrast": _HALVES,
    "random_hue": _HALVES,
    "random_saturation": _HALVES,
    "hsv_to_rgb": _NUMPY,
    "rgb_to_hsv": _NUMPY,
    "non_max_suppression_padded": "accepts numpy arrays and no boxes, as in 1.15",
    "encode_png": "of an image of unknown rank, the result is a scalar, as in 1.15",
}
# Functions of other arguments in 1.15 that `images` and pre_1_0/old_arguments.py have, for other reasons too.
_ELSEWHERE = ("image.adjust_jpeg_quality", "nn.top_k")
_ORDER = "takes positional arguments in the order of 1.15"


def _of_orders() -> Tuple[Symbol, ...]:
    names = [name for name in replaced_functions.ARGUMENTS if name not in _ELSEWHERE]
    return tuple(Symbol("tensorflow." + name, _HERE + "orders:" + name, note=_order_note(name)) for name in names)


def _order_note(name: str) -> str:
    if name in replaced_functions.DEFAULTS:
        return "axes of 1.15 by default"
    if name in replaced_functions.IN_LEGACY:
        return "of the format of Keras 2 in 1.15"
    renamed = replaced_functions.ARGUMENTS[name]
    return "{} as in 1.15".format(", ".join("`{}`".format(each) for each in renamed)) if renamed else _ORDER


_INTEGERS = "integers are rounded towards zero, as in 1.15"
_VARIANCE = "the variance of integers is an integer, as in 1.15"
_WEIGHTS = "weights may be of any number type, as in 1.15"
_NARROW = "accepts integers of 8 and 16 bits, as in 1.15"
_ARRAYS = "of two numpy arrays, the result is one, as in 1.15"
# Name below tf -> (its name in core/dtypes.py, note).
_DTYPES: Dict[str, Tuple[str, str]] = {
    "bincount": ("bincount", _WEIGHTS),
    "divide": ("divide", _ARRAYS),
    "einsum": ("einsum", _NARROW),
    "linalg.einsum": ("einsum", _NARROW),
    "math.divide": ("divide", _ARRAYS),
    "math.bincount": ("bincount", _WEIGHTS),
    "math.nextafter": ("nextafter", _NUMPY),
    "math.reduce_variance": ("reduce_variance", _VARIANCE),
    "nn.ctc_beam_search_decoder": ("ctc_beam_search_decoder", _NUMPY),
    "nn.ctc_beam_search_decoder_v2": ("ctc_beam_search_decoder_v2", _NUMPY),
    "nn.ctc_greedy_decoder": ("ctc_greedy_decoder", _NUMPY),
    "nn.max_pool": ("max_pool", _NUMPY),
    "nn.max_pool2d": ("max_pool2d", _NUMPY),
    "nn.max_pool_v2": ("max_pool_v2", _NUMPY),
    "realdiv": ("realdiv", _INTEGERS),
    "summary.histogram": ("histogram", _NUMPY),
    "truncatediv": ("truncatediv", "floats are not rounded, as in 1.15"),
}


def _of_dtypes() -> Tuple[Symbol, ...]:
    rows = dict(_DTYPES, **{name: (name, _HALVES) for name in replaced_functions.HALVES})
    return tuple(
        Symbol("tensorflow." + name, _HERE + "dtypes:" + target, note=note) for name, (target, note) in rows.items()
    )


def _of_images() -> Tuple[Symbol, ...]:
    targets = {"transpose_image": "transpose"}
    return tuple(
        Symbol("tensorflow.image." + name, _HERE + "images:" + targets.get(name, name), note=note)
        for name, note in _IMAGES.items()
    )


def _of_1() -> Tuple[Symbol, ...]:
    public = {"framework.device.": ""}
    return tuple(
        Symbol(
            "tensorflow.python." + module + name,
            "tensorflow.compat.v1:" + public.get(module, module) + name,
            note=_V1,
        )
        for module, names in _OF_2.items()
        for name in names
    )


SYMBOLS: Tuple[Symbol, ...] = (
    Symbol("tensorflow.test.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    Symbol("tensorflow.python.platform.test.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    Symbol("tensorflow.python.platform.googletest.main", _HERE + "benchmarks:main", note=_BENCHMARKS),
    *_of_1(),
    *_of_earlier(),
    *_of_images(),
    *_of_orders(),
    *_of_dtypes(),
    Symbol(
        "tensorflow.distributions.bijectors",
        "legacy_towers.compat.tf1.private.bijectors",
        on_1_15=True,
        note="of TensorFlow 1.4 to 1.8",
    ),
    *_flags("tensorflow.app.flags."),
    *_flags("tensorflow.flags."),
    *_flags("tensorflow.python.platform.flags."),
    Symbol("tensorflow.__version__", _HERE + "version:VERSION", note=_VERSION),
    Symbol("tensorflow.VERSION", _HERE + "version:VERSION", note=_VERSION),
    Symbol("tensorflow.version.VERSION", _HERE + "version:VERSION", note=_VERSION),
    Symbol("tensorflow.keras.__version__", _HERE + "version:KERAS_VERSION", note=_VERSION),
    Symbol("tensorflow.config.experimental_list_devices", _HERE + "devices:experimental_list_devices"),
    Symbol("tensorflow.data.experimental.latency_stats", _HERE + "data_statistics:latency_stats", note=_STATISTICS),
    Symbol(
        "tensorflow.data.experimental.bytes_produced_stats",
        _HERE + "data_statistics:bytes_produced_stats",
        note=_STATISTICS,
    ),
    Symbol("tensorflow.nn.conv2d_transpose", _HERE + "transposed:conv2d_transpose", note=_SHAPE),
    Symbol("tensorflow.nn.atrous_conv2d_transpose", _HERE + "transposed:atrous_conv2d_transpose", note=_SHAPE),
    Symbol("tensorflow.nn.conv2d_backprop_input", _HERE + "transposed:conv2d_backprop_input", note=_SHAPE),
    Symbol("tensorflow.python.ops.nn_ops.conv2d_transpose", _HERE + "transposed:conv2d_transpose", note=_SHAPE),
    Symbol(
        "tensorflow.image.per_image_standardization",
        _HERE + "standardized:per_image_standardization",
        note=_STANDARDIZED,
    ),
    Symbol("tensorflow.argmax", _HERE + "arguments:argmax", note=_AXIS),
    Symbol("tensorflow.math.argmax", _HERE + "arguments:argmax", note=_AXIS),
    Symbol("tensorflow.linspace", _HERE + "shapes:linspace", note=_LENGTH),
    Symbol("tensorflow.lin_space", _HERE + "shapes:linspace", note=_LENGTH),
    Symbol("tensorflow.get_variable", _HERE + "shapes:get_variable", note=_WHOLE),
    Symbol("tensorflow.python.ops.variable_scope.get_variable", _HERE + "shapes:get_variable", note=_WHOLE),
    Symbol("tensorflow.placeholder", _HERE + "shapes:placeholder", note=_WHOLE),
    Symbol("tensorflow.python.ops.array_ops.placeholder", _HERE + "shapes:placeholder", note=_WHOLE),
    Symbol("tensorflow.placeholder_with_default", _HERE + "shapes:placeholder_with_default", note=_WHOLE),
    Symbol("tensorflow.train.import_meta_graph", _HERE + "meta_graphs:import_meta_graph", note=_META),
    Symbol("tensorflow.python.training.saver.import_meta_graph", _HERE + "meta_graphs:import_meta_graph", note=_META),
    Symbol("tensorflow.train.Int64List", _HERE + "examples:Int64List", note="accepts booleans, as older protobuf did"),
    Symbol("tensorflow.py_func", _HERE + "py_functions:py_func", note=_WIDTHS),
    Symbol("tensorflow.python.ops.script_ops.py_func", _HERE + "py_functions:py_func", note=_WIDTHS),
    Symbol("tensorflow.numpy_function", _HERE + "py_functions:numpy_function", note=_WIDTHS),
    Symbol("tensorflow.python.framework.ops.RegisterShape", _HERE + "shapes:RegisterShape", note=_NOTHING),
    Symbol("tensorflow.python.framework.tensor_shape.scalar", _HERE + "shapes:scalar"),
    Symbol("tensorflow.python.framework.tensor_shape.vector", _HERE + "shapes:vector"),
    Symbol("tensorflow.python.framework.tensor_shape.matrix", _HERE + "shapes:matrix"),
)

# Name -> why it is not supported, and what to do.
UNSUPPORTED: Dict[str, str] = {
    "tensorflow.data.experimental.StatsAggregator": "TensorFlow 2 has no statistics of datasets: remove it, and trace "
    "a session run with tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)",
    "tensorflow.data.experimental.StatsOptions": "TensorFlow 2 has no statistics of datasets: remove it",
    "tensorflow.data.experimental.MapVectorizationOptions": "TensorFlow 2 dropped this graph optimization: remove it",
    "tensorflow.tools.graph_transforms": "the transform tool ended with TensorFlow 1.15: use "
    "tf.graph_util.remove_training_nodes or tensorflow.python.tools.optimize_for_inference_lib",
    "tensorflow.python.framework.common_shapes": "TensorFlow 1.0 and later do not call shape functions in Python: "
    "remove the registration",
    "tensorflow.python.training.tensorboard_logging": "it ended with TensorFlow 1.15: write a tf.summary.text",
    "tensorflow.python.debug.cli.curses_ui": "the curses interface ended with TensorFlow 1.15: use "
    'tf_debug.LocalCLIDebugWrapperSession(session, ui_type="readline")',
    "tensorflow.contrib.lite": "it became tf.lite",
}
