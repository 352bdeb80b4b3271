"""Cases of tf.contrib.image.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.image_cases
"""
import importlib
import sys

import numpy as np
from tf1_cases import recorded_cases

IMAGES = (recorded_cases.values([2, 5, 6, 3], "images") + 1) / 2
PARTS = np.array([[[1, 1, 0, 2], [0, 1, 2, 2], [3, 0, 0, 2]], [[0, 5, 5, 0], [5, 0, 0, 5], [5, 5, 0, 5]]], np.int32)


def transforms(tf):
    image = tf.contrib.image
    images = tf.get_variable("images", initializer=IMAGES)
    turns = image.angles_to_projective_transforms([0.3, -1.0], 5.0, 6.0)
    moves = image.translations_to_projective_transforms([1.5, -1.0])
    return {
        "angles": turns,
        "moves": moves,
        "composed": image.compose_transforms(turns, moves),
        "rotated": image.rotate(images, 0.3),
        "rotated_each": image.rotate(images, [0.3, -1.0], "BILINEAR"),
        "one_channel": image.rotate(images[0, :, :, 0], 0.5, interpolation="BILINEAR"),
        "translated": image.translate(images[0], [1.5, -1.0], "BILINEAR"),
        "projected": image.transform(images, [1.0, 0.1, 0.0, 0.2, 1.0, 1.0, 0.01, 0.02], "BILINEAR"),
    }


def warps(tf):
    images = tf.get_variable("images", initializer=IMAGES)
    flow = tf.get_variable("flow", initializer=3 * recorded_cases.values([2, 5, 6, 2], "flow"))
    return {"warped": tf.contrib.image.dense_image_warp(images, flow)}


def splines(tf):
    image = tf.contrib.image
    points = tf.get_variable("points", initializer=3 * recorded_cases.values([2, 6, 2], "points"))
    # Constants: recorded_cases sets the values of variables, and control points must be distinct.
    known = tf.constant(4 * recorded_cases.values([2, 5, 2], "known"))
    outputs = tf.get_variable("outputs", initializer=recorded_cases.values([2, 5, 3], "outputs"))
    found = {
        "order%d" % order: image.interpolate_spline(known, outputs, points, order) for order in (1, 2, 3, 4, 6)
    }
    found["smooth"] = image.interpolate_spline(known, outputs, points, 2, 0.1)
    pictures = tf.get_variable("images", initializer=IMAGES)
    before = tf.constant([[[1.0, 1.0], [3.0, 2.0], [2.0, 4.5]]] * 2)
    moved = before + tf.constant(0.7 * recorded_cases.values([2, 3, 2], "moved"))
    for number in (0, 1, 3):
        both = image.sparse_image_warp(pictures, before, moved, num_boundary_points=number)
        found["warped%d" % number], found["flow%d" % number] = both
    return found


def colours(tf):
    # TensorFlow 1.15 does not have it in tf.contrib.image itself.
    place = "{}.contrib.image.python.ops.distort_image_ops".format(tf.__name__)
    module = tf.contrib.image if hasattr(tf.contrib.image, "adjust_hsv_in_yiq") else importlib.import_module(place)
    return {"turned": module.adjust_hsv_in_yiq(tf.constant(IMAGES), 0.7, 0.5, 0.8)}


def matches(tf):
    distances = tf.constant(recorded_cases.values([4, 3], "distances"))
    rows, columns = tf.contrib.image.bipartite_match(distances, tf.constant([3.0]))
    best, _ = tf.contrib.image.bipartite_match(distances, tf.constant([4.0]), top_k=1)
    parts = tf.contrib.image.connected_components(tf.constant(PARTS))
    return {"rows": rows, "columns": columns, "best": best, "parts": parts}


CASES = {"colours": colours, "matches": matches, "splines": splines, "transforms": transforms, "warps": warps}


def main():
    recorded_cases.record("contrib_image", CASES)


if __name__ == "__main__":
    sys.exit(main())
