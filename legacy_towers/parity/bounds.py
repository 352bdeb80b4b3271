"""Bounds for equal results, as measured between TF 1.15 and 2.21.

float64: the losses of 50 consecutive steps are within 1e-9. float32: consecutive steps diverge after about ten, by
rounding, so each step is restarted from the same values, and its loss is within 1e-6. Gradients are compared per
variable, relative to the largest one.
"""
import numpy as np

RESTARTED_LOSS = {"float32": 1e-6, "float64": 1e-9}
# Losses of consecutive steps with two input pipelines, for which TensorFlow may order arithmetic differently.
PIPELINE_LOSS = {"float32": 1e-5, "float64": 1e-11}
GRADIENT = {"float32": 1e-5, "float64": 1e-12}


def bound_of(dtype: str, bounds: dict) -> float:
    """Returns the bound for a dtype; dtypes with less precision than float32 have the bound of float32."""
    return float(bounds["float64" if dtype == "float64" else "float32"])


def loss_distance(one: float, other: float) -> float:
    """Returns |one - other|, divided by the loss if it is above 1; infinite if one of them is not finite."""
    if one == other or (np.isnan(one) and np.isnan(other)):  # equal infinities too
        return 0.0
    if not (np.isfinite(one) and np.isfinite(other)):
        return float("inf")
    return float(abs(one - other) / max(1.0, abs(one)))


def relative_difference(reference: np.ndarray, other: np.ndarray) -> float:
    """Returns max|reference - other| / max|reference|; 0 if they are equal, infinite if one is not finite."""
    if np.array_equal(reference, other):
        return 0.0
    reference, other = reference.astype(np.float64), other.astype(np.float64)
    if not (np.isfinite(reference).all() and np.isfinite(other).all()):
        return float("inf")
    largest = float(np.max(np.abs(reference)))
    return float("inf") if largest == 0.0 else float(np.max(np.abs(reference - other))) / largest
