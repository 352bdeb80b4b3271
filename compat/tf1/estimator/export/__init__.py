"""Export of a trained Estimator as a SavedModel."""
