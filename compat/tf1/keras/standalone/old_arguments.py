"""Arguments of Keras 1, which Keras 2.0 to 2.3 accepted too: Convolution2D(32, 3, 3, border_mode="same").

Each use is reported once per line of the script, with the arguments of Keras 2 that replace it.
"""
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

from legacy_towers.compat.tf1 import user_script

Arguments = Tuple[Sequence[Any], Dict[str, Any]]

_ORDERS = {"tf": "channels_last", "th": "channels_first", "default": None}
_ORDER = {"dim_ordering": "data_format"}
_KERNEL = {
    "init": "kernel_initializer", "W_regularizer": "kernel_regularizer", "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint", "b_constraint": "bias_constraint", "bias": "use_bias",
}  # fmt: skip
_CONVOLUTION = dict(_KERNEL, **_ORDER, nb_filter="filters", subsample="strides", border_mode="padding")
_RECURRENT = dict(
    _KERNEL, inner_init="recurrent_initializer", inner_activation="recurrent_activation",
    U_regularizer="recurrent_regularizer", dropout_W="dropout", dropout_U="recurrent_dropout",
)  # fmt: skip
_POOLING = dict(_ORDER, border_mode="padding")
_POOLING_1D = {"pool_length": "pool_size", "stride": "strides", "border_mode": "padding"}
_RATE = {"p": "rate"}

# Layer -> names of its arguments in Keras 1 -> names in Keras 2.
NAMES: Dict[str, Dict[str, str]] = {
    "Dense": dict(_KERNEL, output_dim="units"),
    "Dropout": _RATE,
    "GaussianDropout": _RATE,
    "SpatialDropout1D": _RATE,
    "SpatialDropout2D": dict(_RATE, **_ORDER),
    "SpatialDropout3D": dict(_RATE, **_ORDER),
    "GaussianNoise": {"sigma": "stddev"},
    "PReLU": {"init": "alpha_initializer"},
    "Embedding": {"init": "embeddings_initializer", "W_regularizer": "embeddings_regularizer",
                  "W_constraint": "embeddings_constraint"},
    "BatchNormalization": {"beta_init": "beta_initializer", "gamma_init": "gamma_initializer"},
    "Conv1D": dict(_KERNEL, nb_filter="filters", filter_length="kernel_size", subsample_length="strides",
                   border_mode="padding"),
    "Conv2D": _CONVOLUTION,
    "Conv2DTranspose": _CONVOLUTION,
    "Conv3D": _CONVOLUTION,
    "SeparableConv2D": _CONVOLUTION,
    "ConvLSTM2D": dict(_CONVOLUTION, **_RECURRENT),
    "LSTM": dict(_RECURRENT, output_dim="units"),
    "GRU": dict(_RECURRENT, output_dim="units"),
    "SimpleRNN": dict(_RECURRENT, output_dim="units"),
    "UpSampling1D": {"length": "size"},
    "UpSampling2D": _ORDER,
    "UpSampling3D": _ORDER,
    "ZeroPadding2D": _ORDER,
    "ZeroPadding3D": _ORDER,
    "Cropping2D": _ORDER,
    "Cropping3D": _ORDER,
    "MaxPooling1D": _POOLING_1D,
    "AveragePooling1D": _POOLING_1D,
    "MaxPooling2D": _POOLING,
    "AveragePooling2D": _POOLING,
    "MaxPooling3D": _POOLING,
    "AveragePooling3D": _POOLING,
    "GlobalMaxPooling2D": _ORDER,
    "GlobalAveragePooling2D": _ORDER,
}
# Layer -> the arguments of Keras 1 that are combined in kernel_size.
_SIDES: Dict[str, Tuple[str, ...]] = {
    "Conv2D": ("nb_row", "nb_col"),
    "Conv2DTranspose": ("nb_row", "nb_col"),
    "SeparableConv2D": ("nb_row", "nb_col"),
    "ConvLSTM2D": ("nb_row", "nb_col"),
    "Conv3D": ("kernel_dim1", "kernel_dim2", "kernel_dim3"),
}
_SEQUENCES = ("Conv1D", "LSTM", "GRU", "SimpleRNN")
# Layer -> arguments of Keras 1 that Keras 2 dropped.
_DROPPED: Dict[str, Tuple[str, ...]] = {
    "BatchNormalization": ("mode",),
    "Embedding": ("dropout",),
    "LSTM": ("consume_less", "forget_bias_init"),
    "GRU": ("consume_less",),
    "SimpleRNN": ("consume_less",),
}
_OF_FIT = {"nb_epoch": "epochs"}
_OF_GENERATORS = {
    "nb_epoch": "epochs", "samples_per_epoch": "steps_per_epoch", "nb_val_samples": "validation_steps",
    "val_samples": "steps", "nb_worker": "workers", "pickle_safe": "use_multiprocessing",
    "max_q_size": "max_queue_size",
}  # fmt: skip
# Method of models -> names of its arguments in Keras 1 -> names in Keras 2.
METHODS: Dict[str, Dict[str, str]] = {
    "fit": _OF_FIT,
    "fit_generator": _OF_GENERATORS,
    "evaluate_generator": _OF_GENERATORS,
    "predict_generator": _OF_GENERATORS,
}


class _Replaced(NamedTuple):
    """Names of the arguments that a call replaces, for the message."""

    before: List[str]
    now: List[str]


def of_layer(layer: str) -> Callable[..., Arguments]:
    """Returns a function that converts arguments of Keras 1 to those of Keras 2, for the class `layer`."""

    def changed(arguments: Sequence[Any], options: Dict[str, Any]) -> Arguments:
        replaced = _Replaced([], [])
        arguments, options = list(arguments), dict(options)
        if layer in _SIDES:
            arguments = _with_kernel(arguments, options, _SIDES[layer], replaced)
        if layer in _SEQUENCES and "input_dim" in options:
            options["input_shape"] = (options.pop("input_length", None), options.pop("input_dim"))
            _note(replaced, "input_dim", "input_shape")
        for name in _DROPPED.get(layer, ()):
            if name in options:
                _drop(layer, name, options, replaced)
        if layer == "Conv2DTranspose" and "output_shape" in options:  # Keras 2 infers it
            options.pop("output_shape")
            _note(replaced, "output_shape", "")
        _rename(options, NAMES[layer], replaced)
        _report(layer, replaced)
        return arguments, options

    return changed


def of_method(method: str) -> Callable[..., Arguments]:
    """Returns a function that converts arguments of Keras 1 to those of Keras 2, for a method of models."""

    def changed(arguments: Sequence[Any], options: Dict[str, Any]) -> Arguments:
        replaced = _Replaced([], [])
        options = dict(options)
        if "samples_per_epoch" in options:
            generator: Any = arguments[0] if arguments else options.get("generator")
            if hasattr(generator, "batch_size"):
                options["samples_per_epoch"] //= generator.batch_size
        _rename(options, METHODS[method], replaced)
        _report(method, replaced)
        return arguments, options

    return changed


def of_model(arguments: Sequence[Any], options: Dict[str, Any]) -> Arguments:
    """Converts the arguments of Model(input=..., output=...) to those of Keras 2."""
    replaced = _Replaced([], [])
    options = dict(options)
    _rename(options, {"input": "inputs", "output": "outputs"}, replaced)
    _report("Model", replaced)
    return arguments, options


def of_optimizer(arguments: Sequence[Any], options: Dict[str, Any]) -> Arguments:
    """Converts the argument learning_rate of optimizers of Keras 2.3 to `lr` of Keras 2.2."""
    options = dict(options)
    if "learning_rate" in options:
        options["lr"] = options.pop("learning_rate")
    return arguments, options


def _with_kernel(arguments: List[Any], options: Dict[str, Any], sides: Sequence[str], replaced: _Replaced) -> List[Any]:
    """Returns the positional arguments with kernel_size in place of one argument per dimension."""
    given = arguments[1 : 1 + len(sides)]
    if len(given) == len(sides) and all(isinstance(each, int) for each in given):
        _note(replaced, ", ".join(map(str, given)), "kernel_size")
        return arguments[:1] + [tuple(given)] + arguments[1 + len(sides) :]
    by_name = sides[len(given) :]
    if by_name and all(name in options for name in by_name) and all(isinstance(each, int) for each in given):
        options["kernel_size"] = tuple(given) + tuple(options.pop(name) for name in by_name)
        _note(replaced, ", ".join(by_name), "kernel_size")
        return arguments[:1]
    return arguments


def _drop(layer: str, name: str, options: Dict[str, Any], replaced: _Replaced) -> None:
    value = options.pop(name)
    if name == "mode" and value != 0:
        raise TypeError("BatchNormalization(mode={!r}) ended with Keras 1: only mode=0 is supported".format(value))
    if name == "forget_bias_init":
        options["unit_forget_bias"] = value == "one"
    elif name == "consume_less":
        options["implementation"] = 2 if value == "gpu" else 1
    _note(replaced, name, "unit_forget_bias" if name == "forget_bias_init" else "")


def _rename(options: Dict[str, Any], names: Dict[str, str], replaced: _Replaced) -> None:
    for before, now in names.items():
        if before not in options:
            continue
        if now in options:
            raise TypeError("{0} is the name of {1} in Keras 1, and both are given: remove {0}".format(before, now))
        value = options.pop(before)
        options[now] = _ORDERS.get(value, value) if before == "dim_ordering" else value
        _note(replaced, before, now)


def _note(replaced: _Replaced, before: str, now: str) -> None:
    replaced.before.append(before)
    replaced.now.append(now or "nothing")


def _report(function: str, replaced: _Replaced) -> None:
    if replaced.before:
        user_script.report_replacement(
            "{}({}), of Keras 1".format(function, ", ".join(replaced.before)), ", ".join(replaced.now)
        )
