"""The operations of k-means, which have no public name on TensorFlow 1.15."""
from typing import Any, Tuple

# Private API, needed for TensorFlow 1.15 only: 2.x has them in tf.raw_ops. Tested on 1.15 and 2.21.
from tensorflow.python.ops import gen_clustering_ops


def nearest(points: Any, centers: Any) -> Tuple[Any, Any]:
    """Returns (index of the nearest center, squared distance to it), both [points, 1]."""
    return tuple(gen_clustering_ops.nearest_neighbors(points, centers, 1))


def plus_plus(points: Any, number: Any, seed: int, retries: int) -> Any:
    """Returns `number` (int64) centers [number, dimensions], chosen from `points` by k-means++."""
    return gen_clustering_ops.kmeans_plus_plus_initialization(points, number, seed, retries)


def end_of_chain(distances: Any, seed: int) -> Any:
    """Returns the index of the last point of a k-MC2 Markov chain over points with squared `distances` [points]."""
    return gen_clustering_ops.kmc2_chain_initialization(distances, seed)
