"""Ways in: each gives every tower its own examples, and says what must run beside the train op."""
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches

__all__ = ["Input", "InputPlan", "TowerBatches"]
