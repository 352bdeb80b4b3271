"""tf.contrib.distributions.bijectors, from the package tensorflow_probability."""
import re
from typing import Any, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.distributions.mixed import probability
from legacy_towers.compat.versions import tf

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


def Chain(  # pylint: disable=invalid-name
    bijectors: Optional[Sequence[Any]] = None, validate_args: bool = False, name: Optional[str] = None
) -> Any:
    """Returns the composition of `bijectors`; the last one is applied first.

    A `name` that is not a Python identifier is changed to one: "2d_flow" to "chain_2d_flow".
    """
    if name is not None and not name.isidentifier():
        name = re.sub(r"\W", "_", name)
        name = name if name.isidentifier() else "chain_" + name
    chain = probability("tf.contrib.distributions.bijectors.Chain").bijectors.Chain
    return chain(list(bijectors or ()), validate_args=validate_args, name=name)


def AffineScalar(  # pylint: disable=invalid-name
    shift: Any = None, scale: Any = None, validate_args: bool = False, name: str = "affine_scalar"
) -> Any:
    """Returns the bijector y = scale * x + shift."""
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
    """Returns the bijector y = scale @ x + shift; the scale is the sum of the given matrices.

    Args:
      shift: [..., k].
      scale_identity_multiplier: c of c I; 1 if neither this nor the next two arguments are given.
      scale_diag: d [..., k] of diag(d).
      scale_tril: [..., k, k], whose lower triangle is taken.
      scale_perturb_factor: V [..., k, r] of V diag(p) V^T.
      scale_perturb_diag: p [..., r], by default ones.
      validate_args: whether to check arguments at run time.
      name: the name of the bijector.

    Raises:
      ValueError: `scale_perturb_diag` is given without `scale_perturb_factor`.
    """
    bijectors = probability("tf.contrib.distributions.bijectors.Affine").bijectors
    if scale_perturb_diag is not None and scale_perturb_factor is None:
        raise ValueError("When scale_perturb_diag is specified, scale_perturb_factor must be specified.")
    parts = [] if shift is None else [bijectors.Shift(tf.convert_to_tensor(shift))]
    if scale_perturb_factor is not None:
        factor = tf.convert_to_tensor(scale_perturb_factor)
        base = _base_operator(scale_identity_multiplier, scale_diag, scale_tril, factor)
        perturbed = tf.linalg.LinearOperatorLowRankUpdate(
            base,
            u=factor,
            diag_update=None if scale_perturb_diag is None else tf.convert_to_tensor(scale_perturb_diag),
            is_diag_update_positive=scale_perturb_diag is None,
            # TensorFlow 1.15 sets these hints for any matrix, and its numbers depend on them.
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )
        parts.append(bijectors.ScaleMatvecLinearOperator(perturbed))
        return bijectors.Chain(parts, validate_args=validate_args, name=name)
    if scale_tril is not None:
        parts.append(bijectors.ScaleMatvecTriL(_triangle(scale_identity_multiplier, scale_diag, scale_tril)))
    elif scale_diag is not None:
        parts.append(bijectors.ScaleMatvecDiag(_sum(scale_diag, scale_identity_multiplier)))
    elif scale_identity_multiplier is not None:
        parts.append(bijectors.Scale(tf.convert_to_tensor(scale_identity_multiplier)))
    return bijectors.Chain(parts, validate_args=validate_args, name=name) if parts else bijectors.Identity(name=name)


def _sum(diagonal: Any, *others: Any) -> Any:
    return sum((other for other in others if other is not None), tf.convert_to_tensor(diagonal))


def _triangle(multiplier: Any, diagonal: Any, triangle: Any) -> Any:
    matrix = tf.matrix_band_part(tf.convert_to_tensor(triangle), -1, 0)
    return tf.matrix_set_diag(matrix, _sum(tf.matrix_diag_part(matrix), diagonal, multiplier))


def _base_operator(multiplier: Any, diagonal: Any, triangle: Any, factor: Any) -> Any:
    """Returns the linear operator [..., k, k] that the low-rank update of `factor` [..., k, r] is added to."""
    if triangle is not None:
        return tf.linalg.LinearOperatorLowerTriangular(
            _triangle(multiplier, diagonal, triangle), is_non_singular=True, is_self_adjoint=False
        )
    if diagonal is not None:
        return tf.linalg.LinearOperatorDiag(_sum(diagonal, multiplier), is_non_singular=True, is_self_adjoint=True)
    scaled = tf.ones([], factor.dtype) if multiplier is None else tf.convert_to_tensor(multiplier, factor.dtype)
    return tf.linalg.LinearOperatorScaledIdentity(tf.shape(factor)[-2], scaled, is_non_singular=True)


def AffineLinearOperator(  # pylint: disable=invalid-name
    shift: Any = None,
    scale: Any = None,
    adjoint: bool = False,
    validate_args: bool = False,
    name: str = "affine_linear_operator",
) -> Any:
    """Returns the bijector y = scale @ x + shift, where `scale` is a tf.linalg.LinearOperator."""
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
    return sorted(_SAME | set(_RENAMED) | {"Affine", "AffineLinearOperator", "AffineScalar", "Chain"})
