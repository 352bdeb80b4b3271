"""Replicate a model function over devices: scopes, collections, checks."""
from legacy_towers.towers.output import EVAL, PREDICT, TRAIN, TowerOutput
from legacy_towers.towers.replicate import Tower, replicate

__all__ = ["EVAL", "PREDICT", "TRAIN", "Tower", "TowerOutput", "replicate"]
