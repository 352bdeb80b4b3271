"""tf.contrib.distributions.bijectors, from the package tensorflow_probability."""
from typing import Any, List

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.distributions.mixed import probability

_RENAMED = {
    "Gumbel": "GumbelCDF",
    "Kumaraswamy": "KumaraswamyCDF",
    "ScaleTriL": "FillScaleTriL",
    "Ordered": "Ascending",
}
_SAME = {
    "AbsoluteValue",
    "BatchNormalization",
    "Bijector",
    "Chain",
    "CholeskyOuterProduct",
    "Exp",
    "FillTriangular",
    "Identity",
    "Inline",
    "Invert",
    "MaskedAutoregressiveFlow",
    "MatrixInverseTriL",
    "Permute",
    "PowerTransform",
    "RealNVP",
    "Reshape",
    "Sigmoid",
    "SinhArcsinh",
    "SoftmaxCentered",
    "Softplus",
    "Softsign",
    "Square",
    "TransformDiagonal",
    "masked_autoregressive_default_template",
    "masked_dense",
    "real_nvp_default_template",
}


def AffineScalar(  # pylint: disable=invalid-name
    shift: Any = None, scale: Any = None, validate_args: bool = False, name: str = "affine_scalar"
) -> Any:
    """Returns y = scale * x + shift."""
    bijectors = probability("tf.contrib.distributions.bijectors.AffineScalar").bijectors
    parts = []
    if shift is not None:
        parts.append(bijectors.Shift(tf.convert_to_tensor(shift), validate_args=validate_args))
    if scale is not None:
        parts.append(bijectors.Scale(tf.convert_to_tensor(scale), validate_args=validate_args))
    return bijectors.Chain(parts, name=name) if parts else bijectors.Identity(name=name)


def Affine(  # pylint: disable=invalid-name
    shift: Any = None,
    scale_identity_multiplier: Any = None,
    scale_diag: Any = None,
    scale_tril: Any = None,
    scale_perturb_factor: Any = None,
    scale_perturb_diag: Any = None,
    validate_args: bool = False,
    name: str = "affine",
) -> Any:
    """Returns y = scale @ x + shift; the scale is the sum of the matrices that are given.

    Raises:
      ValueError: a perturbation is asked for, which is not served.
    """
    if scale_perturb_factor is not None or scale_perturb_diag is not None:
        raise ValueError("scale_perturb_factor and scale_perturb_diag are not served: give scale_tril")
    bijectors = probability("tf.contrib.distributions.bijectors.Affine").bijectors
    parts = [] if shift is None else [bijectors.Shift(tf.convert_to_tensor(shift))]
    if scale_tril is not None:
        matrix = tf.matrix_band_part(tf.convert_to_tensor(scale_tril), -1, 0)
        diagonal = tf.matrix_diag_part(matrix)
        diagonal = diagonal if scale_diag is None else diagonal + scale_diag
        diagonal = diagonal if scale_identity_multiplier is None else diagonal + scale_identity_multiplier
        parts.append(bijectors.ScaleMatvecTriL(tf.matrix_set_diag(matrix, diagonal)))
    elif scale_diag is not None:
        diagonal = tf.convert_to_tensor(scale_diag)
        diagonal = diagonal if scale_identity_multiplier is None else diagonal + scale_identity_multiplier
        parts.append(bijectors.ScaleMatvecDiag(diagonal))
    elif scale_identity_multiplier is not None:
        parts.append(bijectors.Scale(tf.convert_to_tensor(scale_identity_multiplier)))
    return bijectors.Chain(parts, validate_args=validate_args, name=name) if parts else bijectors.Identity(name=name)


def AffineLinearOperator(  # pylint: disable=invalid-name
    shift: Any = None,
    scale: Any = None,
    adjoint: bool = False,
    validate_args: bool = False,
    name: str = "affine_linear_operator",
) -> Any:
    """Returns y = scale @ x + shift for a tf.linalg.LinearOperator."""
    bijectors = probability("tf.contrib.distributions.bijectors.AffineLinearOperator").bijectors
    parts = [] if shift is None else [bijectors.Shift(tf.convert_to_tensor(shift))]
    if scale is not None:
        parts.append(bijectors.ScaleMatvecLinearOperator(scale, adjoint=adjoint))
    return bijectors.Chain(parts, validate_args=validate_args, name=name) if parts else bijectors.Identity(name=name)


def __getattr__(name: str) -> Any:
    if name not in _SAME and name not in _RENAMED:
        raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
    return getattr(probability("tf.contrib.distributions.bijectors." + name).bijectors, _RENAMED.get(name, name))


def __dir__() -> List[str]:
    return sorted(_SAME | set(_RENAMED) | {"Affine", "AffineLinearOperator", "AffineScalar"})
