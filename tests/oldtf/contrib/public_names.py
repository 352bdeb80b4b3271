"""The public names of parts of tf.contrib in TensorFlow 1.15, with their arguments.

To record them again, on TensorFlow 1.15, in tests/:

    python -m oldtf.contrib.public_names
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
    """Returns the names of what a function takes, or a class when it is made; [] for what can't be asked."""
    try:
        return list(inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters)
    except (TypeError, ValueError):
        return []


def is_public(module, name):
    """Returns whether a script would take `name` from `module`: no module that was imported there, nothing private."""
    value = getattr(module, name)
    return not name.startswith("_") and not isinstance(value, types.ModuleType) and not isinstance(
        value, __future__._Feature
    )


def look(part):
    """Returns name -> arguments of all public names of the real part."""
    try:
        module = importlib.import_module("tensorflow.contrib." + part)
    except ImportError:  # a name that is no module of its own there
        parent, _, last = part.rpartition(".")
        module = getattr(importlib.import_module("tensorflow.contrib." + parent), last)
    return {name: arguments(getattr(module, name)) for name in sorted(dir(module)) if is_public(module, name)}


def recorded():
    """Returns part -> name -> arguments."""
    with open(FILE) as file:
        return json.load(file)


if __name__ == "__main__":
    with open(FILE, "w") as file:
        json.dump({part: look(part) for part in PARTS}, file, sort_keys=True)
