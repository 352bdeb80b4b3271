"""What counts as the same: the bounds that were measured between TF 1.15 and 2.21.

float64: 50 steps in a row within 1e-9. float32: free runs drift apart after about ten steps whatever one does, so each
step is taken from the same values, and its loss is within 1e-6. Gradients are compared per variable, as a share of the
largest one.
"""
import numpy as np

RESTARTED_LOSS = {"float32": 1e-6, "float64": 1e-9}
GRADIENT = {"float32": 1e-5, "float64": 1e-12}


def bound_of(dtype: str, bounds: dict) -> float:
    """Returns the bound for a dtype; what is coarser than float32 has the bound of float32."""
    return float(bounds["float64" if dtype == "float64" else "float32"])


def loss_distance(one: float, other: float) -> float:
    """Returns |one - other|, as a share of the loss where that is above 1; infinite where one isn't finite."""
    if one == other or (np.isnan(one) and np.isnan(other)):  # equal infinities too
        return 0.0
    if not (np.isfinite(one) and np.isfinite(other)):
        return float("inf")
    return float(abs(one - other) / max(1.0, abs(one)))


def share_of_largest(reference: np.ndarray, other: np.ndarray) -> float:
    """Returns max|reference - other| / max|reference|; 0 where they are equal, infinite where they are not finite."""
    if np.array_equal(reference, other):
        return 0.0
    reference, other = reference.astype(np.float64), other.astype(np.float64)
    if not (np.isfinite(reference).all() and np.isfinite(other).all()):
        return float("inf")
    largest = float(np.max(np.abs(reference)))
    return float("inf") if largest == 0.0 else float(np.max(np.abs(reference - other))) / largest
