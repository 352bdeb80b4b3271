"""Polyharmonic spline interpolation, and image warps that are defined by control points."""
from typing import Any, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.image.warp import dense_image_warp
from legacy_towers.compat.versions import tf

# A lower bound of squared distances: their logarithms must be finite.
_EPSILON = 1e-10


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Any:
    """Interpolates values at points by a polyharmonic spline.

    Args:
      train_points: [b, n, d], the points with known values; d must be known statically.
      train_values: [b, n, k], the known values; k must be known statically.
      query_points: [b, m, d], the points to interpolate at.
      order: the order of the spline: 1 is linear, 2 is a thin plate spline, 3 is cubic.
      regularization_weight: values above 0 make the spline smoother; it no longer equals the known values exactly.
      name: the name of the operations.

    Returns:
      [b, m, k], the values at `query_points`.

    Raises:
      ValueError: d or k is unknown.
    """
    with tf.name_scope(name):
        train_points, train_values, query_points = [
            tf.convert_to_tensor(each) for each in (train_points, train_values, query_points)
        ]
        weights, linear = _solve(train_points, train_values, order, regularization_weight)
        radial = tf.matmul(_phi(_squared_distances(query_points, train_points), order), weights)
        return radial + tf.matmul(_with_ones(query_points), linear)


def _solve(points: Any, values: Any, order: int, regularization: float) -> Tuple[Any, Any]:
    """Returns the weights of the radial basis functions [b, n, k] and of the linear term [b, d + 1, k]."""
    for tensor, what in ((points, "input points (d)"), (values, "output values (k)")):
        if tensor.shape.as_list()[-1] is None:
            raise ValueError("The dimensionality of the {} must be statically-inferrable.".format(what))
    batch, number = tf.shape(points)[0], tf.shape(points)[1]
    products = tf.matmul(points, points, adjoint_b=True)
    squares = tf.expand_dims(tf.matrix_diag_part(products), 2)
    radial = _phi(squares - 2 * products + tf.transpose(squares, [0, 2, 1]), order)
    if regularization > 0:
        radial += regularization * tf.expand_dims(tf.eye(number, dtype=points.dtype), 0)
    linear = _with_ones(points)
    sides, outputs = linear.shape.as_list()[2], values.shape.as_list()[2]
    left = tf.concat([radial, tf.transpose(linear, [0, 2, 1])], 1)
    right = tf.concat([linear, tf.zeros([batch, sides, sides], points.dtype)], 1)
    right_hand_side = tf.concat([values, tf.zeros([batch, sides, outputs], points.dtype)], 1)
    solution = tf.matrix_solve(tf.concat([left, right], 2), right_hand_side)
    return solution[:, :number, :], solution[:, number:, :]


def _with_ones(points: Any) -> Any:
    return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def _squared_distances(points: Any, others: Any) -> Any:
    own = tf.expand_dims(tf.reduce_sum(tf.square(points), 2), 2)
    theirs = tf.expand_dims(tf.reduce_sum(tf.square(others), 2), 1)
    return own - 2 * tf.matmul(points, others, adjoint_b=True) + theirs


def _phi(squares: Any, order: int) -> Any:
    """Returns r^order, or r^order * log(r) for even orders, where `squares` are r^2."""
    bounded = tf.maximum(squares, _EPSILON)
    if order == 1:
        return tf.sqrt(bounded)
    if order == 2:
        return 0.5 * squares * tf.log(bounded)
    if order == 4:
        return 0.5 * tf.square(squares) * tf.log(bounded)
    power = tf.pow(bounded, 0.5 * order)
    return 0.5 * power * tf.log(bounded) if order % 2 == 0 else power


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> Tuple[Any, Any]:
    """Warps images so that control points move to new locations; a spline interpolates between them.

    Args:
      image: [b, height, width, channels]; all but channels must be known statically.
      source_control_point_locations: [b, points, 2], the locations (y, x).
      dest_control_point_locations: [b, points, 2], the new locations.
      interpolation_order: `order` of `interpolate_spline`.
      regularization_weight: see `interpolate_spline`.
      num_boundary_points: the number of fixed points of each edge: 1 is the corners, 2 also the middles.
      name: the name of the operations.

    Returns:
      (warped image [b, height, width, channels], flow [b, height, width, 2]).
    """
    image, source, target = [
        tf.convert_to_tensor(each)
        for each in (image, source_control_point_locations, dest_control_point_locations)
    ]
    flows = target - source
    with tf.name_scope(name):
        batch, height, width, _ = image.shape.as_list()
        pixels = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(-1, 2)
        if num_boundary_points > 0:
            boundary = _boundary_points(height, width, num_boundary_points + 1)
            target = tf.concat([target, tf.constant(_tile(boundary, batch), target.dtype)], 1)
            flows = tf.concat([flows, tf.constant(_tile(np.zeros_like(boundary), batch), target.dtype)], 1)
        queries = tf.constant(_tile(pixels, batch), image.dtype)
        flow = interpolate_spline(target, flows, queries, interpolation_order, regularization_weight)
        flow = tf.reshape(flow, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def _boundary_points(height: int, width: int, number: int) -> Any:
    ys, xs = np.meshgrid(np.linspace(0, height - 1, number), np.linspace(0, width - 1, number), indexing="ij")
    on_boundary = (xs == 0) | (xs == width - 1) | (ys == 0) | (ys == height - 1)
    return np.stack([ys[on_boundary], xs[on_boundary]], -1)


def _tile(points: Any, batch: int) -> Any:
    return np.tile(points[np.newaxis], [batch, 1, 1])
