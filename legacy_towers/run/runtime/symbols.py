"""The TensorFlow names that `run` replaces, on TensorFlow 1.15 too: graphs, sessions and servers."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.run.runtime."
_MAPPED = "operations on missing GPUs are mapped to existing devices, by the options of `run`"
_CONVERTED = "with --queues-to-dataset, queues are converted to tf.data before"
_SHOWN = "prints the first error that ends one of its threads"
_MERGED = "created with the script's config, the options of `run` and soft placement"

# name -> (its replacement, the difference)
_REPLACED: Dict[str, Tuple[str, str]] = {
    "tensorflow.Graph": ("graphs:Graph", _MAPPED),
    "tensorflow.python.framework.ops.Graph": ("graphs:Graph", _MAPPED),
    "tensorflow.Session": ("sessions:Session", _MERGED),
    "tensorflow.python.client.session.Session": ("sessions:Session", _MERGED),
    "tensorflow.InteractiveSession": ("sessions:InteractiveSession", _MERGED),
    "tensorflow.python.client.session.InteractiveSession": ("sessions:InteractiveSession", _MERGED),
    "tensorflow.train.start_queue_runners": ("queue_conversion:start_queue_runners", _CONVERTED),
    "tensorflow.train.queue_runner.start_queue_runners": ("queue_conversion:start_queue_runners", _CONVERTED),
    "tensorflow.train.QueueRunner": ("queue_runners:QueueRunner", _CONVERTED),
    "tensorflow.train.queue_runner.QueueRunner": ("queue_runners:QueueRunner", _CONVERTED),
    "tensorflow.python.training.queue_runner.QueueRunner": ("queue_runners:QueueRunner", _CONVERTED),
    "tensorflow.python.training.queue_runner_impl.QueueRunner": ("queue_runners:QueueRunner", _CONVERTED),
    "tensorflow.train.Coordinator": ("coordinators:Coordinator", _SHOWN),
    "tensorflow.python.training.coordinator.Coordinator": ("coordinators:Coordinator", _SHOWN),
    "tensorflow.train.Server": ("sessions:Server", _MERGED),
    "tensorflow.distribute.Server": ("sessions:Server", _MERGED),
    "tensorflow.python.training.server_lib.Server": ("sessions:Server", _MERGED),
    "tensorflow.python.training.training.Server": ("sessions:Server", _MERGED),
}

SYMBOLS: Tuple[Symbol, ...] = tuple(
    Symbol(name, _HERE + target, on_1_15=True, note=note) for name, (target, note) in _REPLACED.items()
)
