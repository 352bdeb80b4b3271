"""The modules of Keras 2.0 to 2.3, and the modules that have their names today.

Importing this module imports no TensorFlow.
"""
from typing import Dict, Tuple

ROOT = "keras"
# keras.__version__ of the view.
VERSION = "2.2.4"
# The prefix of modules of this package.
OWN = "own:"
# The prefix of modules of Keras's source: "source:engine.base_layer" is tf_keras.src.engine.base_layer.
SOURCE = "source:"

_HERE = OWN + "legacy_towers.compat.tf1.keras.standalone."
_WRAPPERS = OWN + "legacy_towers.compat.tf1.keras.wrappers."
_LAYERS = (_HERE + "layers", "layers", _HERE + "utils", SOURCE + "layers.merging.base_merge")
_OF_GRAPHS = (
    _HERE + "utils", "layers", "models", "utils", SOURCE + "engine.base_layer_v1", SOURCE + "engine.base_layer",
    SOURCE + "engine.functional", SOURCE + "engine.node", SOURCE + "engine.input_layer", SOURCE + "utils.layer_utils",
)  # fmt: skip
_OF_FILES = (_HERE + "saving", "models", SOURCE + "saving.legacy.hdf5_format", SOURCE + "saving.legacy.save",
             SOURCE + "saving.legacy.model_config")
_OF_TRAINING = (
    _HERE + "training", _HERE + "utils", "models", "utils", "layers", SOURCE + "engine.training_v1",
    SOURCE + "engine.training_utils_v1", SOURCE + "engine.training_arrays_v1",
    SOURCE + "engine.training_generator_v1", SOURCE + "utils.generic_utils",
)  # fmt: skip
_BACKEND = (_HERE + "backend", "backend", SOURCE + "backend")
_UTILS = (_HERE + "utils", "utils", "models", SOURCE + "saving.legacy.serialization")
_SOURCE_UTILS = SOURCE + "utils."
_LAYER_FILES = (
    "advanced_activations convolutional convolutional_recurrent core cudnn_recurrent embeddings local merge noise"
    " normalization pooling recurrent wrappers"
).split()
_APPLICATIONS = (
    "densenet imagenet_utils inception_resnet_v2 inception_v3 mobilenet mobilenet_v2 nasnet resnet resnet50 resnet_v2"
    " vgg16 vgg19 xception"
).split()

# Module below keras -> the modules where its names are looked up, in order; without a prefix, modules of tf.keras.
MODULES: Dict[str, Tuple[str, ...]] = {
    "": ("",),
    "activations": ("activations", SOURCE + "activations", SOURCE + "saving.legacy.serialization"),
    "applications": ("applications",),
    "backend": _BACKEND,
    "backend.common": _BACKEND,
    "backend.load_backend": _BACKEND,
    "backend.tensorflow_backend": _BACKEND,
    "callbacks": ("callbacks", SOURCE + "callbacks"),
    "callbacks.callbacks": ("callbacks", SOURCE + "callbacks"),
    "callbacks.tensorboard_v1": ("callbacks",),
    "callbacks.tensorboard_v2": ("callbacks",),
    "constraints": (_HERE + "constraints", "constraints", SOURCE + "constraints"),
    "datasets": ("datasets",),
    "engine": _OF_GRAPHS,
    "engine.base_layer": _OF_GRAPHS,
    "engine.input_layer": _OF_GRAPHS,
    "engine.network": (_HERE + "training",) + _OF_GRAPHS,
    "engine.saving": _OF_FILES,
    "engine.sequential": ("models", "layers"),
    "engine.topology": (_HERE + "training",) + _OF_GRAPHS + _OF_FILES,
    "engine.training": _OF_TRAINING,
    "engine.training_arrays": _OF_TRAINING,
    "engine.training_generator": _OF_TRAINING,
    "engine.training_utils": _OF_TRAINING,
    "initializers": ("initializers", SOURCE + "initializers.initializers_v1", SOURCE + "initializers.initializers",
                     SOURCE + "saving.legacy.serialization"),
    "initializations": ("initializers",),
    "layers": _LAYERS,
    "legacy": (),
    "legacy.interfaces": (_HERE + "interfaces",),
    "legacy.layers": _LAYERS,
    "legacy.models": ("models",),
    "losses": (_HERE + "losses", "losses", SOURCE + "losses"),
    "metrics": (_HERE + "losses", "metrics", SOURCE + "metrics", SOURCE + "losses"),
    "models": ("models", SOURCE + "models", "layers"),
    "objectives": (_HERE + "losses", "losses", SOURCE + "losses"),
    "optimizers": (_HERE + "optimizers", "optimizers", SOURCE + "saving.legacy.serialization"),
    "preprocessing": ("preprocessing",),
    "preprocessing.image": ("preprocessing.image", SOURCE + "preprocessing.image"),
    "preprocessing.sequence": ("preprocessing.sequence", SOURCE + "preprocessing.sequence"),
    "preprocessing.text": ("preprocessing.text", SOURCE + "preprocessing.text"),
    "regularizers": ("regularizers", SOURCE + "regularizers"),
    "utils": _UTILS,
    "utils.conv_utils": (_SOURCE_UTILS + "conv_utils",),
    "utils.data_utils": _UTILS + (_SOURCE_UTILS + "data_utils",),
    "utils.generic_utils": _UTILS + (_SOURCE_UTILS + "generic_utils",),
    "utils.io_utils": _UTILS + (_SOURCE_UTILS + "io_utils",),
    "utils.layer_utils": _UTILS + (_SOURCE_UTILS + "layer_utils",),
    "utils.losses_utils": (_SOURCE_UTILS + "losses_utils",),
    "utils.metrics_utils": (_SOURCE_UTILS + "metrics_utils",),
    "utils.multi_gpu_utils": _UTILS,
    "utils.np_utils": _UTILS + (_SOURCE_UTILS + "np_utils",),
    "utils.test_utils": (_HERE + "utils",),
    "utils.training_utils": _UTILS,
    "utils.vis_utils": _UTILS + (_SOURCE_UTILS + "vis_utils",),
    "utils.visualize_util": _UTILS,
    "wrappers": (),
    "wrappers.scikit_learn": (_WRAPPERS + "scikit_learn",),
}
MODULES.update({"layers." + name: _LAYERS for name in _LAYER_FILES})
MODULES.update(
    {
        "applications." + name: ("applications." + name, "applications", _HERE + "applications")
        for name in _APPLICATIONS
    }
)
MODULES.update(
    {
        "datasets." + name: ("datasets." + name,)
        for name in ("boston_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters")
    }
)
MODULES["datasets.cifar"] = (SOURCE + "datasets.cifar",)
# Modules that `import keras` makes available as attributes.
OF_ROOT = tuple(name for name in MODULES if name and "." not in name)
