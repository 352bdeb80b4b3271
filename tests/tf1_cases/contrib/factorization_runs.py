"""Runs of tf.contrib.factorization, compared with TensorFlow 1.15.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.factorization_runs
"""
import os
import sys

import numpy as np
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

REFERENCE = os.path.join(recorded_cases.FOLDER, "contrib_factorization.npz")
# Three clusters of points.
POINTS = recorded_cases.values([60, 3], "points") + np.repeat([[0, 0, 4], [4, 1, 0], [-3, 3, 1]], 20, 0)
POINTS = POINTS[np.random.RandomState(3).permutation(60)].astype(np.float32)
STEPS = 4
OPTIONS = {
    "full": dict(initial_clusters=POINTS[:3]),
    "random": dict(random_seed=7),
    "plus_plus": dict(initial_clusters="kmeans_plus_plus", random_seed=5, distance_metric="cosine"),
    "chains": dict(initial_clusters="kmc2", random_seed=4, kmc2_chain_length=60),
    "function": dict(initial_clusters=lambda inputs, number: inputs[0][: tf.minimum(number, 2)]),
}
# TensorFlow 1.15 has a race condition in mini-batch steps: these are compared with NumPy instead.
RACING = {
    "batch": dict(use_mini_batch=True, initial_clusters=POINTS[:3]),
    "batches": dict(use_mini_batch=True, mini_batch_steps_per_iteration=2, initial_clusters=POINTS[:3]),
    "cosine_batch": dict(use_mini_batch=True, distance_metric="cosine", initial_clusters=POINTS[:3]),
    "cosine_batches": dict(
        use_mini_batch=True, mini_batch_steps_per_iteration=2, distance_metric="cosine", initial_clusters=POINTS[:3]
    ),
}
MIXTURES = {"full": ("wmc", "full"), "diag": ("wmc", "diag"), "weights": ("w", "full")}


def kmeans(factorization, name, use_resource=False):
    """Returns name -> value of the results of k-means."""
    parts = [POINTS[:40], POINTS[40:]] if name in ("full", "batch", "cosine_batches") else POINTS
    with tf.Graph().as_default(), tf.variable_scope("", use_resource=use_resource):
        inputs = [tf.constant(each) for each in parts] if isinstance(parts, list) else tf.constant(parts)
        graph = factorization.KMeans(inputs, 3, **dict(OPTIONS, **RACING)[name]).training_graph()
        distances, nearest, scores, initialized, init_op, step = graph
        found = {}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            while not session.run(initialized):
                session.run(init_op)
            for _ in range(STEPS):
                session.run(step)
            session.run(init_op)  # does nothing
            for variable in tf.global_variables():
                found[variable.op.name] = session.run(variable)
            for key, parts in (("distances", distances), ("nearest", nearest), ("scores", scores)):
                found[key] = np.concatenate(session.run(list(parts)))
        return found


def batches_in_numpy(name):
    """Returns the centers after mini-batch steps, in NumPy."""
    options = RACING[name]
    steps, is_cosine = options.get("mini_batch_steps_per_iteration", 1), "distance_metric" in options
    points = POINTS / np.linalg.norm(POINTS, axis=1, keepdims=True) if is_cosine else POINTS
    updated = points[:3].astype(np.float64)
    used, counts = updated.copy(), np.full(3, 0 if steps > 1 else 1)
    for step in range(STEPS):
        if steps == 1:
            used = updated / np.linalg.norm(updated, axis=1, keepdims=True) if is_cosine else updated.copy()
        nearest = np.argmin(((points[:, None] - used) ** 2).sum(2), 1)
        if steps > 1 and step and step % steps == 0:
            used = updated / np.linalg.norm(updated, axis=1, keepdims=True) if is_cosine else updated.copy()
            counts[:] = 0
        for point, index in zip(points, nearest):
            counts[index] += 1
            updated[index] += (point - updated[index]) / counts[index]
    return updated


def mixture(factorization, name):
    """Returns name -> value of the results of training a mixture."""
    params, kind = MIXTURES[name]
    with tf.Graph().as_default():
        loss, scores, assignments, step, init_op, initialized = factorization.gmm(
            tf.constant(POINTS), POINTS[:3], 3, 0, kind, params
        )
        found = {}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(init_op)
            for _ in range(STEPS):
                session.run(step)
            for variable in tf.global_variables():
                found[variable.op.name] = session.run(variable)
            found["loss"], found["scores"], found["assigned"] = session.run([loss, scores, assignments[0][0]])
        return found


def estimator(factorization, folder):
    """Returns name -> value of the results of the Estimator KMeansClustering."""
    made = factorization.KMeansClustering(
        3, str(folder), use_mini_batch=False, initial_clusters="kmeans_plus_plus", random_seed=6
    )

    def points():
        return tf.train.limit_epochs(tf.constant(POINTS), num_epochs=1)

    for _ in range(3):
        made.train(points)
    return {
        "centers": made.cluster_centers(),
        "score": made.score(points),
        "index": np.array(list(made.predict_cluster_index(points))),
        "distances": np.array(list(made.transform(points))),
    }


def recorded(name):
    """Returns the recording `name`, for example "kmeans:full"."""
    with np.load(REFERENCE, allow_pickle=False) as file:
        return {key[len(name) + 1 :]: file[key] for key in file.files if key.startswith(name + "|")}


def main():
    import tempfile

    import tensorflow

    part = tensorflow.contrib.factorization
    kept = {}
    runs = [("kmeans:" + name, lambda name=name: kmeans(part, name)) for name in OPTIONS]
    runs += [("mixture:" + name, lambda name=name: mixture(part, name)) for name in MIXTURES]
    runs.append(("estimator", lambda: estimator(part, tempfile.mkdtemp())))
    for name, run in runs:
        print(name, flush=True)
        kept.update({"{}|{}".format(name, key): value for key, value in run().items()})
    np.savez_compressed(REFERENCE, **kept)


if __name__ == "__main__":
    sys.exit(main())
