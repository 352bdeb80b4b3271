"""The public names of packages of tf.contrib in TensorFlow 1.15, with their arguments.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.public_names
"""
import __future__

import importlib
import inspect
import json
import os
import types

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "reference", "contrib_names.json")
PARTS = (
    "factorization", "framework", "framework.nest", "graph_editor", "image", "integrate", "layers",
    "layers.summaries", "layers.python.layers.utils", "losses",
    "losses.metric_learning", "metrics", "opt", "slim", "slim.evaluation", "slim.learning", "slim.model_analyzer",
    "slim.nets.alexnet", "slim.nets.inception", "slim.nets.overfeat", "slim.nets.resnet_utils", "slim.nets.resnet_v1",
    "slim.nets.resnet_v2", "slim.nets.vgg", "slim.python.slim.data.data_decoder", "slim.python.slim.data.data_provider",
    "slim.python.slim.data.dataset", "slim.python.slim.data.dataset_data_provider",
    "slim.python.slim.data.parallel_reader", "slim.python.slim.data.prefetch_queue",
    "slim.python.slim.data.tfexample_decoder", "slim.queues", "slim.summaries", "training",
)  # fmt: skip


def arguments(value):
    """Returns the names of the arguments of a function or constructor; [] for other values."""
    try:
        return list(inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters)
    except (TypeError, ValueError):
        return []


def is_public(module, name):
    """Returns whether `name` in `module` is public: neither an imported module nor private."""
    value = getattr(module, name)
    return not name.startswith("_") and not isinstance(value, types.ModuleType) and not isinstance(
        value, __future__._Feature
    )


def look(part):
    """Returns name -> arguments of all public names of tensorflow.contrib.PART on TensorFlow 1.15."""
    try:
        module = importlib.import_module("tensorflow.contrib." + part)
    except ImportError:  # an attribute of its parent, not a module file
        parent, _, last = part.rpartition(".")
        module = getattr(importlib.import_module("tensorflow.contrib." + parent), last)
    return {name: arguments(getattr(module, name)) for name in sorted(dir(module)) if is_public(module, name)}


def recorded():
    """Returns the recording: part -> name -> arguments."""
    with open(FILE) as file:
        return json.load(file)


if __name__ == "__main__":
    with open(FILE, "w") as file:
        json.dump({part: look(part) for part in PARTS}, file, sort_keys=True)
