"""k-means in a graph: operations that choose centers, tell the nearest, and move the centers.

The variables, their names and the numbers are those of TensorFlow 1.15, the choices by a seed included.
"""
from typing import Any, List, Tuple

from legacy_towers.compat import clustering, tf
from legacy_towers.oldtf.contrib.factorization.centers import (
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    FirstCenters,
)

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
CLUSTERS_VAR_NAME = "clusters"
# Added to the number of points of a cluster, which may be 0.
_LITTLE = 1e-6


class KMeans:
    """Lloyd's algorithm over all points, or over batches of them.

    Args:
      inputs: [points, numbers], or a list of such parts of one batch.
      num_clusters: how many centers; of no interest where the first centers are given as numbers.
      initial_clusters: [clusters, numbers], a function of (inputs, how many) that returns at most so many, or the name
        of a way to choose: "random", "kmeans_plus_plus" or "kmc2".
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: a step is over a batch, not over all points.
      mini_batch_steps_per_iteration: after so many batches the centers that points are given to are exchanged.
      random_seed: of the choice of the first centers.
      kmeans_plus_plus_num_retries, kmc2_chain_length: more candidates, and longer chains, for better first centers.

    Raises:
      ValueError: an unknown way to choose, or an unknown distance.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        ways = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in ways:
            raise ValueError("Unsupported initialization algorithm '{}'".format(initial_clusters))
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError("Unsupported distance metric '{}'".format(distance_metric))
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._use_mini_batch = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    def training_graph(self) -> Tuple[Any, Any, Any, Any, Any, Any]:
        """Builds the operations.

        Returns:
          (distances, nearest, distance to the nearest, initialized, init_op, training_op): for each of the inputs
          [points, clusters], [points] and [points], in tuples; a bool variable; the operation that is run until that
          variable is true; the operation of a step.
        """
        first = self._initial_clusters
        if isinstance(first, str) or callable(first):
            number = tf.convert_to_tensor(self._num_clusters)
        else:
            first = tf.convert_to_tensor(first)
            number = tf.shape(first)[0]
        keeps_two = self._use_mini_batch and self._steps > 1
        empty = tf.constant([], dtype=tf.float32)
        # Of the kind whose shape may change: resource variables keep that of their first value.
        clusters = tf.Variable(empty, name=CLUSTERS_VAR_NAME, validate_shape=False, use_resource=False)
        initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
        updated, waits, counts = clusters, None, None
        if keeps_two:
            updated = tf.Variable(empty, name="clusters_updated", validate_shape=False, use_resource=False)
            waits = tf.Variable(self._steps, dtype=tf.int64, name="update_in_steps")
            counts = tf.Variable(tf.zeros([number], dtype=tf.int64))
        elif self._use_mini_batch:
            counts = tf.Variable(tf.ones([number], dtype=tf.int64))
        chosen = FirstCenters(
            self._inputs, number, first, self._is_cosine, self._seed, self._retries, self._chain_length, clusters,
            updated, initialized,
        )  # fmt: skip
        init_op = chosen.operation()
        points, centers = self._inputs, clusters
        if self._is_cosine:
            points = [_unit(each) for each in points]
            if not self._keeps_units():
                centers = _unit(clusters)
        distances, scores, nearest = self._nearest(points, centers)
        if self._use_mini_batch:
            with tf.control_dependencies(nearest):
                exchange = self._exchange(waits, clusters, updated, counts) if keeps_two else tf.no_op()
            with tf.control_dependencies([exchange]):
                step = _step_of_batch(points, nearest, updated, counts)
        else:
            step = self._step_of_all(points, number, nearest, clusters)
        return distances, nearest, scores, initialized, init_op, step

    def _keeps_units(self) -> bool:
        """Returns whether the variable of centers has unit vectors."""
        return self._is_cosine and (not self._use_mini_batch or self._steps > 1)

    def _nearest(self, points: List[Any], centers: Any) -> Tuple[Any, Any, Any]:
        distances = [self._distances(each, centers) for each in points]
        if self._is_cosine and not self._keeps_units():
            centers = _unit(centers)
        found = []
        for each, all_of_each in zip(points, distances):
            indices, nearest = clustering.nearest(each, centers)
            if self._is_cosine:  # of unit vectors the squared distance is twice that by the cosine
                nearest *= 0.5
            found.append((all_of_each, tf.squeeze(nearest, [-1]), tf.squeeze(indices, [-1])))
        all_distances, scores, indices = zip(*found)
        return all_distances, scores, indices

    def _distances(self, points: Any, centers: Any) -> Any:
        products = tf.matmul(points, centers, transpose_b=True)
        if self._is_cosine:
            return 1 - products
        own = tf.reduce_sum(tf.square(points), 1, keepdims=True)
        return own - 2 * products + tf.transpose(tf.reduce_sum(tf.square(centers), 1, keepdims=True))

    def _exchange(self, waits: Any, clusters: Any, updated: Any, counts: Any) -> Any:
        """Returns the operation that lets the updated centers be those that points are given to, every few steps."""

        def exchange() -> Any:
            with tf.control_dependencies([tf.assign(waits, self._steps - 1)]):
                new = _unit(updated) if self._is_cosine else tf.identity(updated)
                with tf.control_dependencies([tf.assign(clusters, new, validate_shape=False)]):
                    with tf.control_dependencies([tf.assign(counts, tf.zeros_like(counts))]):
                        return tf.identity(waits)

        return tf.cond(tf.less_equal(waits, 0), exchange, lambda: tf.identity(tf.assign_sub(waits, 1)))

    def _step_of_all(self, points: List[Any], number: Any, nearest: Any, clusters: Any) -> Any:
        sums, counts = [], []
        for each, indices in zip(points, nearest):
            sums.append(tf.unsorted_segment_sum(each, indices, number))
            ones = tf.ones([tf.shape(each)[0], 1])
            counts.append(tf.unsorted_segment_sum(ones, indices, number))
        new = tf.add_n(sums) / (tf.cast(tf.add_n(counts), sums[0].dtype) + tf.constant(_LITTLE, points[0].dtype))
        if self._keeps_units():
            new = _unit(new)
        return tf.assign(clusters, new, validate_shape=False)


def _unit(vectors: Any) -> Any:
    return tf.nn.l2_normalize(vectors, axis=1)


def _step_of_batch(points: List[Any], nearest: Any, centers: Any, counts: Any) -> Any:
    """Returns the operation that moves each center to the mean of the points that it ever got.

    What is added to is read first, and the parts of the batch take turns: on TensorFlow 1.15 they race.
    """
    done: List[Any] = []
    for each, indices in zip(points, nearest):
        with tf.control_dependencies(done):
            ids, places = tf.unique(tf.reshape(indices, [-1]))
            size = tf.size(ids)
            old_counts, old_centers = tf.gather(counts, ids), tf.gather(centers, ids)
        more = tf.unsorted_segment_sum(tf.ones_like(places, dtype=counts.dtype.base_dtype), places, size)
        # x += (sum of the new points - how many * x) / (how many there were + how many)
        shape = tf.concat([tf.reshape(size, [1]), tf.ones([tf.rank(each) - 1], dtype=tf.int32)], 0)
        moved = tf.unsorted_segment_sum(each, places, size)
        moved -= tf.cast(tf.reshape(more, shape), each.dtype) * old_centers
        moved *= tf.reshape(tf.reciprocal(tf.cast(old_counts + more, each.dtype)), shape)
        with tf.control_dependencies([moved]):
            done = [tf.scatter_add(counts, ids, more), tf.scatter_add(centers, ids, moved)]
    return tf.group(*done)
