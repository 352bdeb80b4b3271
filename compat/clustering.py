"""The operations of k-means, which TensorFlow keeps and gives no public name on 1.15."""
from typing import Any, Tuple

# Private: tf.raw_ops has them on 2.x only. Tried on 1.15 and 2.21; goes with 1.15.
from tensorflow.python.ops import gen_clustering_ops


def nearest(points: Any, centers: Any) -> Tuple[Any, Any]:
    """Returns (index of the nearest center, squared distance to it), each [points, 1]."""
    return tuple(gen_clustering_ops.nearest_neighbors(points, centers, 1))


def plus_plus(points: Any, number: Any, seed: int, retries: int) -> Any:
    """Returns `number` (int64) of the points, chosen by k-means++."""
    return gen_clustering_ops.kmeans_plus_plus_initialization(points, number, seed, retries)


def end_of_chain(distances: Any, seed: int) -> Any:
    """Returns the index of the point that a Markov chain of k-MC2 over the points' squared distances ends at."""
    return gen_clustering_ops.kmc2_chain_initialization(distances, seed)
