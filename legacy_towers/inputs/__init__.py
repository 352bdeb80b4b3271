"""Input pipelines: each gives every tower its own batch, and the hooks that have to run with the train op."""
from legacy_towers.data.record_errors import naming_records
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches
from legacy_towers.inputs.feeds.aligned import aligned_empty
from legacy_towers.inputs.feeds.feed import feed
from legacy_towers.inputs.feeds.from_placeholders import from_placeholders
from legacy_towers.inputs.feeds.placeholders import Feed, TowerPlaceholders, tower_placeholders
from legacy_towers.inputs.from_graph.from_tensors import from_tensors
from legacy_towers.inputs.queues.from_queue import from_queue
from legacy_towers.inputs.queues.queue import queue
from legacy_towers.inputs.synthetic import synthetic
from legacy_towers.inputs.tf_data.dataset import dataset
from legacy_towers.inputs.tf_data.from_dataset import from_dataset
from legacy_towers.inputs.wrappers.staged import staged
from legacy_towers.inputs.wrappers.switch import switch
from legacy_towers.inputs.wrappers.validation_tower import with_validation_tower

__all__ = [
    "Feed",
    "Input",
    "InputPlan",
    "TowerBatches",
    "TowerPlaceholders",
    "aligned_empty",
    "dataset",
    "feed",
    "from_dataset",
    "from_placeholders",
    "from_queue",
    "from_tensors",
    "naming_records",
    "queue",
    "staged",
    "switch",
    "synthetic",
    "tower_placeholders",
    "with_validation_tower",
]
