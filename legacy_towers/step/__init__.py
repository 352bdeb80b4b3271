"""The rooms in a row: inputs, towers, gradients, update; what comes out is plain tensors, ops and hooks."""
from legacy_towers.step.build import build_train_step
from legacy_towers.step.parts import Part
from legacy_towers.step.train_step import PartStep, TrainStep

__all__ = ["Part", "PartStep", "TrainStep", "build_train_step"]
