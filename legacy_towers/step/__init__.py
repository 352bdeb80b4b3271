"""Build a train step: input, towers, gradients and update joined into plain tensors, operations and hooks."""
from legacy_towers.step.build import build_train_step
from legacy_towers.step.objectives import Objective
from legacy_towers.step.train_step import ObjectiveStep, TrainStep

__all__ = ["Objective", "ObjectiveStep", "TrainStep", "build_train_step"]
