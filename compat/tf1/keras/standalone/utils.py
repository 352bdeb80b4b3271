"""Names of keras.utils that tf.keras.utils lacks."""
import importlib
from typing import Any, Sequence, Tuple

import numpy as np

from legacy_towers.compat.tf1 import script_api
from legacy_towers.compat.versions import keras_modules

_MODULES = (
    "conv_utils data_utils generic_utils io_utils layer_utils np_utils test_utils training_utils vis_utils"
).split()


def plot(model: Any, to_file: str = "model.png", **options: Any) -> Any:
    """Calls keras.utils.plot_model; this is its name in Keras 1."""
    return script_api.module("tensorflow.keras.utils").plot_model(model, to_file=to_file, **options)


def print_summary(model: Any, line_length: Any = None, positions: Any = None, print_fn: Any = None) -> None:
    """Calls model.summary."""
    model.summary(line_length=line_length, positions=positions, print_fn=print_fn)


def convert_kernel(kernel: Any) -> np.ndarray:
    """Returns `kernel` with its spatial axes reversed: converts between the convolutions of Theano and TensorFlow."""
    return np.copy(np.asarray(kernel)[tuple([slice(None, None, -1)] * (np.ndim(kernel) - 2))])


def convert_all_kernels_in_model(model: Any) -> None:
    """Reverses the spatial axes of the kernels of all convolutions of `model`."""
    backend = script_api.module("tensorflow.keras.backend")
    for layer in model.layers:
        if layer.__class__.__name__ in ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose"):
            backend.set_value(layer.kernel, convert_kernel(backend.get_value(layer.kernel)))


def to_list(x: Any, allow_tuple: bool = False) -> Any:
    if isinstance(x, list) or allow_tuple and isinstance(x, tuple):
        return list(x)
    return [x]


def unpack_singleton(x: Any) -> Any:
    return x[0] if len(x) == 1 else x


def is_all_none(iterable_or_element: Any) -> bool:
    several = isinstance(iterable_or_element, (list, tuple))
    return all(each is None for each in (iterable_or_element if several else [iterable_or_element]))


def object_list_uid(object_list: Any) -> str:
    return ", ".join(str(abs(id(each))) for each in to_list(object_list, allow_tuple=True))


def get_test_data(
    num_train: int = 1000,
    num_test: int = 500,
    input_shape: Sequence[int] = (10,),
    output_shape: Sequence[int] = (2,),
    classification: bool = True,
    num_classes: int = 2,
) -> Tuple[Any, Any]:
    """Returns two pairs (inputs, targets), for training and for testing: normal noise around a value per example."""
    samples = num_train + num_test
    inputs = np.zeros((samples,) + tuple(input_shape), dtype=np.float32)
    if classification:
        targets = np.random.randint(0, num_classes, size=(samples,))
        for index in range(samples):
            inputs[index] = np.random.normal(loc=targets[index], scale=0.7, size=input_shape)
    else:
        base = np.random.random((samples,))
        targets = np.zeros((samples,) + tuple(output_shape), dtype=np.float32)
        for index in range(samples):
            inputs[index] = np.random.normal(loc=base[index], scale=0.7, size=input_shape)
            targets[index] = np.random.normal(loc=base[index], scale=0.7, size=output_shape)
    return (inputs[:num_train], targets[:num_train]), (inputs[num_train:], targets[num_train:])


def multi_gpu_model(*arguments: Any, **options: Any) -> Any:
    """Returns keras.utils.multi_gpu_model of the view."""
    return script_api.module("tensorflow.keras.utils").multi_gpu_model(*arguments, **options)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return script_api.module("keras.utils." + name)
    if name == "HDF5Matrix":
        return importlib.import_module("legacy_towers.compat.tf1.keras.hdf5").HDF5Matrix
    if name == "_GLOBAL_CUSTOM_OBJECTS":
        return script_api.module("tensorflow.keras.utils").get_custom_objects()
    if name in ("count_params",):
        return getattr(keras_modules.source_module("backend"), name)
    raise AttributeError(name)


