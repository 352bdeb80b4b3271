"""Splines through scattered points, and images warped by some points that move."""
from typing import Any, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.image.warp import dense_image_warp

# What distances are at least, so that their logarithms are finite.
_LEAST = 1e-10


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Any:
    """Returns the values [b, m, k] at `query_points` of the polyharmonic spline through known points.

    Args:
      train_points, train_values: the known ones, [b, n, d] and [b, n, k]; d and k are known statically.
      query_points: [b, m, d].
      order: 1 is linear in distances, 2 is a thin plate, 3 cubic.
      regularization_weight: with more than 0 the spline is smoother and misses the known values by a little.

    Raises:
      ValueError: d or k is not known.
    """
    with tf.name_scope(name):
        train_points, train_values, query_points = [
            tf.convert_to_tensor(each) for each in (train_points, train_values, query_points)
        ]
        weights, plane = _solved(train_points, train_values, order, regularization_weight)
        bends = tf.matmul(_phi(_squared_distances(query_points, train_points), order), weights)
        return bends + tf.matmul(_with_ones(query_points), plane)


def _solved(points: Any, values: Any, order: int, regularization: float) -> Tuple[Any, Any]:
    """Returns the weights [b, n, k] of the distances to the points, and those [b, d + 1, k] of a plane."""
    for tensor, what in ((points, "input points (d)"), (values, "output values (k)")):
        if tensor.shape.as_list()[-1] is None:
            raise ValueError("The dimensionality of the {} must be statically-inferrable.".format(what))
    batch, number = tf.shape(points)[0], tf.shape(points)[1]
    products = tf.matmul(points, points, adjoint_b=True)
    squares = tf.expand_dims(tf.matrix_diag_part(products), 2)
    bends = _phi(squares - 2 * products + tf.transpose(squares, [0, 2, 1]), order)
    if regularization > 0:
        bends += regularization * tf.expand_dims(tf.eye(number, dtype=points.dtype), 0)
    plane = _with_ones(points)
    sides, outputs = plane.shape.as_list()[2], values.shape.as_list()[2]
    left = tf.concat([bends, tf.transpose(plane, [0, 2, 1])], 1)
    right = tf.concat([plane, tf.zeros([batch, sides, sides], points.dtype)], 1)
    wanted = tf.concat([values, tf.zeros([batch, sides, outputs], points.dtype)], 1)
    found = tf.matrix_solve(tf.concat([left, right], 2), wanted)
    return found[:, :number, :], found[:, number:, :]


def _with_ones(points: Any) -> Any:
    return tf.concat([points, tf.ones_like(points[..., :1])], 2)


def _squared_distances(points: Any, others: Any) -> Any:
    own = tf.expand_dims(tf.reduce_sum(tf.square(points), 2), 2)
    theirs = tf.expand_dims(tf.reduce_sum(tf.square(others), 2), 1)
    return own - 2 * tf.matmul(points, others, adjoint_b=True) + theirs


def _phi(squares: Any, order: int) -> Any:
    """Returns r^order, or r^order * log(r) where the order is even, of the squares of distances r."""
    least = tf.maximum(squares, _LEAST)
    if order == 1:
        return tf.sqrt(least)
    if order == 2:
        return 0.5 * squares * tf.log(least)
    if order == 4:
        return 0.5 * tf.square(squares) * tf.log(least)
    power = tf.pow(least, 0.5 * order)
    return 0.5 * power * tf.log(least) if order % 2 == 0 else power


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> Tuple[Any, Any]:
    """Moves some points of an image, and what lies between by a spline.

    Args:
      image: [b, height, width, channels]; all but channels are known statically.
      source_control_point_locations, dest_control_point_locations: (y, x) of the points, [b, points, 2].
      interpolation_order, regularization_weight: of the spline, see `interpolate_spline`.
      num_boundary_points: so many points of each edge stay where they are: 1 the corners, 2 the middles too.

    Returns:
      (the image, the flow [b, height, width, 2]).
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
            still = _edge(height, width, num_boundary_points + 1)
            target = tf.concat([target, tf.constant(_each(still, batch), target.dtype)], 1)
            flows = tf.concat([flows, tf.constant(_each(np.zeros_like(still), batch), target.dtype)], 1)
        everywhere = tf.constant(_each(pixels, batch), image.dtype)
        flow = interpolate_spline(target, flows, everywhere, interpolation_order, regularization_weight)
        flow = tf.reshape(flow, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def _edge(height: int, width: int, number: int) -> Any:
    ys, xs = np.meshgrid(np.linspace(0, height - 1, number), np.linspace(0, width - 1, number), indexing="ij")
    outside = (xs == 0) | (xs == width - 1) | (ys == 0) | (ys == height - 1)
    return np.stack([ys[outside], xs[outside]], -1)


def _each(points: Any, batch: int) -> Any:
    return np.tile(points[np.newaxis], [batch, 1, 1])
