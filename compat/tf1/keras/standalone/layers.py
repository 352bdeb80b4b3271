"""Layers of Keras 1 that Keras 2.0 to 2.3 still had, and old names of layers."""
from typing import Any, Callable, Dict, List

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions import keras_modules, tf

_keras: Any = tf.keras
_RENAMED = {
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution3D": "Conv3D",
    "Deconv2D": "Conv2DTranspose",
    "Deconv3D": "Conv3DTranspose",
    "Deconvolution2D": "Conv2DTranspose",
    "Deconvolution3D": "Conv3DTranspose",
    "SeparableConvolution2D": "SeparableConv2D",
}

# Base classes that scripts inherit from -> module of Keras's source and name there.
_BASES = {
    "_Conv": ("layers.convolutional.base_conv", "Conv"),
    "_Pooling1D": ("layers.pooling.base_pooling1d", "Pooling1D"),
    "_Pooling2D": ("layers.pooling.base_pooling2d", "Pooling2D"),
    "_Pooling3D": ("layers.pooling.base_pooling3d", "Pooling3D"),
    "_GlobalPooling1D": ("layers.pooling.base_global_pooling1d", "GlobalPooling1D"),
    "_GlobalPooling2D": ("layers.pooling.base_global_pooling2d", "GlobalPooling2D"),
    "_GlobalPooling3D": ("layers.pooling.base_global_pooling3d", "GlobalPooling3D"),
}


def AtrousConvolution1D(*arguments: Any, atrous_rate: Any = 1, **options: Any) -> Any:  # noqa: N802
    """Returns keras.layers.Conv1D(dilation_rate=atrous_rate)."""
    return _dilated(_keras.layers.Conv1D, arguments, atrous_rate, options)


def AtrousConvolution2D(*arguments: Any, atrous_rate: Any = (1, 1), **options: Any) -> Any:  # noqa: N802
    """Returns keras.layers.Conv2D(dilation_rate=atrous_rate)."""
    return _dilated(_keras.layers.Conv2D, arguments, atrous_rate, options)


def _dilated(kind: Any, arguments: Any, rate: Any, options: Dict[str, Any]) -> Any:
    user_script.report_replacement(
        kind.__name__.replace("Conv", "AtrousConvolution"), kind.__name__ + " with dilation_rate"
    )
    return kind(*arguments, dilation_rate=rate, **options)


class _OfKeras1(tf.keras.layers.Layer):
    """A base class for dense layers of Keras 1, with its names of arguments."""

    def __init__(self, init: Any, W_regularizer: Any, b_regularizer: Any, bias: bool, **options: Any) -> None:
        if "input_dim" in options:
            options["input_shape"] = (options.pop("input_dim"),)
        super().__init__(**options)
        self.init = _keras.initializers.get(init)
        self.W_regularizer = _keras.regularizers.get(W_regularizer)
        self.b_regularizer = _keras.regularizers.get(b_regularizer)
        self.bias = bias
        self.input_spec = _keras.layers.InputSpec(ndim=2)

    def kernel(self, shape: Any, name: str) -> Any:
        return self.add_weight(name=name, shape=shape, initializer=self.init, regularizer=self.W_regularizer)

    def offset(self, shape: Any, name: str, initializer: Any = "zeros") -> Any:
        if not self.bias:
            return 0.0
        return self.add_weight(name=name, shape=shape, initializer=initializer, regularizer=self.b_regularizer)


class MaxoutDense(_OfKeras1):
    """The maximum of nb_feature linear maps, each from [batch, inputs] to [batch, output_dim]."""

    def __init__(self, output_dim: int, nb_feature: int = 4, init: Any = "glorot_uniform", W_regularizer: Any = None,
                 b_regularizer: Any = None, bias: bool = True, **options: Any) -> None:
        super().__init__(init, W_regularizer, b_regularizer, bias, **options)
        self.output_dim, self.nb_feature = output_dim, nb_feature

    def build(self, input_shape: Any) -> None:
        size = tf.TensorShape(input_shape).as_list()[-1]
        self.W = self.kernel((self.nb_feature, size, self.output_dim), "{}_W".format(self.name))
        self.b = self.offset((self.nb_feature, self.output_dim), "{}_b".format(self.name))
        self.built = True

    def call(self, inputs: Any) -> Any:
        return tf.reduce_max(tf.tensordot(inputs, self.W, [[1], [1]]) + self.b, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape([input_shape[0], self.output_dim])


class Highway(_OfKeras1):
    """A dense layer with a gate, from [batch, inputs] to the same shape: gate * dense + (1 - gate) * inputs."""

    def __init__(self, init: Any = "glorot_uniform", activation: Any = None, W_regularizer: Any = None,
                 b_regularizer: Any = None, bias: bool = True, **options: Any) -> None:
        super().__init__(init, W_regularizer, b_regularizer, bias, **options)
        self.activation = _keras.activations.get(activation)

    def build(self, input_shape: Any) -> None:
        size = tf.TensorShape(input_shape).as_list()[-1]
        self.W = self.kernel((size, size), "{}_W".format(self.name))
        self.W_carry = self.kernel((size, size), "{}_W_carry".format(self.name))
        self.b = self.offset((size,), "{}_b".format(self.name))
        self.b_carry = self.offset((size,), "{}_b_carry".format(self.name), "ones")
        self.built = True

    def call(self, inputs: Any) -> Any:
        gate = tf.sigmoid(tf.matmul(inputs, self.W_carry) + self.b_carry)
        return self.activation(tf.matmul(inputs, self.W) + self.b) * gate + inputs * (1 - gate)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(input_shape)


AtrousConv1D, AtrousConv2D = AtrousConvolution1D, AtrousConvolution2D
_MERGED: Dict[str, str] = {"sum": "add", "mul": "multiply", "ave": "average", "max": "maximum"}


def merge(
    inputs: Any,
    mode: Any = "sum",
    concat_axis: int = -1,
    dot_axes: Any = -1,
    output_shape: Any = None,
    output_mask: Any = None,
    arguments: Any = None,
    name: Any = None,
) -> Any:
    """Returns keras.layers.add, multiply, average, maximum, concatenate or dot of the inputs, or a function of them.

    Args:
      mode: "sum", "mul", "ave", "max", "concat", "dot" or "cos", or a function of the list of inputs.

    Raises:
      ValueError: `mode` is none of these.
    """
    layers = _keras.layers
    if callable(mode):
        return layers.Lambda(mode, output_shape=output_shape, arguments=arguments, name=name)(inputs)
    if mode in _MERGED:
        found: Callable[..., Any] = getattr(layers, _MERGED[mode])
        user_script.report_replacement("merge(mode={!r})".format(mode), "keras.layers." + _MERGED[mode])
        return found(inputs, name=name)
    if mode == "concat":
        user_script.report_replacement("merge(mode='concat')", "keras.layers.concatenate")
        return layers.concatenate(inputs, axis=concat_axis, name=name)
    if mode in ("dot", "cos"):
        user_script.report_replacement("merge(mode={!r})".format(mode), "keras.layers.dot")
        return layers.dot(inputs, axes=dot_axes, normalize=mode == "cos", name=name)
    raise ValueError(
        "merge: mode must be sum, mul, ave, max, concat, dot, cos or a function, got {!r}".format(mode)
    )


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        from legacy_towers.compat.tf1 import script_api

        return getattr(script_api.module("tensorflow.keras.layers"), _RENAMED[name])
    if name in _BASES:
        return getattr(keras_modules.source_module(_BASES[name][0]), _BASES[name][1])
    raise AttributeError(name)


def __dir__() -> List[str]:
    return sorted(list(_RENAMED) + ["AtrousConvolution1D", "AtrousConvolution2D", "Highway", "MaxoutDense", "merge"])
