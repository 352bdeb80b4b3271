"""Ways in: each gives every tower its own examples, and says what must run beside the train op."""
from legacy_towers.inputs.aligned import aligned_empty
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches
from legacy_towers.inputs.dataset import dataset
from legacy_towers.inputs.existing import from_dataset, from_placeholders
from legacy_towers.inputs.feed import feed
from legacy_towers.inputs.own_queue import from_queue
from legacy_towers.inputs.placeholders import Feed, TowerPlaceholders, tower_placeholders
from legacy_towers.inputs.queue import queue
from legacy_towers.inputs.staged import staged
from legacy_towers.inputs.switch import switch
from legacy_towers.inputs.synthetic import synthetic
from legacy_towers.inputs.tensors import from_tensors
from legacy_towers.inputs.validation_tower import with_validation_tower

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
    "queue",
    "staged",
    "switch",
    "synthetic",
    "tower_placeholders",
    "with_validation_tower",
]
