"""The loops of an Estimator: training, evaluation and prediction."""
