"""A run from start to resume: train, evaluate, predict."""
from legacy_towers.training.evaluate import Evaluation, evaluate
from legacy_towers.training.predict import predict
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import Trained, train

__all__ = ["Evaluation", "TrainSettings", "Trained", "evaluate", "predict", "train"]
