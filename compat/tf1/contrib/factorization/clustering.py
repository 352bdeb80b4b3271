"""k-means in a graph: operations that initialize centers, find the nearest center of points, and update centers.

Variables, their names and the results are those of TensorFlow 1.15, including random choices with a seed.
"""
from typing import Any, List, Tuple

from legacy_towers.compat.tf1.contrib.factorization.centers import (
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    InitialCenters,
)
from legacy_towers.compat.tf1.contrib.private import clustering
from legacy_towers.compat.versions import tf

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
CLUSTERS_VAR_NAME = "clusters"
# Added to the number of points of a cluster, which may be 0.
_EPSILON = 1e-6


class KMeans:
    """Computes k-means by full-batch steps (Lloyd's algorithm) or mini-batch steps.

    Mini-batches: Sculley, "Web-Scale K-Means Clustering", 2010. Initialization: Arthur and Vassilvitskii, "k-means++",
    2007; Bachem et al., "Approximate K-Means++ in Sublinear Time" (k-MC2), 2016.

    Args:
      inputs: float32 [points, dimensions], or a list of such parts of a batch.
      num_clusters: the number of clusters; ignored if `initial_clusters` is a tensor.
      initial_clusters: [clusters, dimensions], a function of (inputs, number) that returns at most `number` centers, or
        "random", "kmeans_plus_plus" or "kmc2".
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: whether a step is over a batch instead of all points.
      mini_batch_steps_per_iteration: the number of batches after which updated centers replace those that points are
        assigned to.
      random_seed: the seed of the initialization.
      kmeans_plus_plus_num_retries: the number of additional candidates per center of k-means++.
      kmc2_chain_length: the length of the Markov chains of k-MC2.

    Raises:
      ValueError: `initial_clusters` or `distance_metric` is unknown.
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
        algorithms = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in algorithms:
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
          (distances, nearest, scores, initialized, init_op, training_op):
            distances: tuple of [points, clusters], one for each of the inputs.
            nearest: tuple of [points], the indices of the nearest centers.
            scores: tuple of [points], the distances to the nearest centers.
            initialized: a bool variable.
            init_op: the operation to run until `initialized` is True.
            training_op: the operation of a step.
        """
        initial_clusters = self._initial_clusters
        if isinstance(initial_clusters, str) or callable(initial_clusters):
            number = tf.convert_to_tensor(self._num_clusters)
        else:
            initial_clusters = tf.convert_to_tensor(initial_clusters)
            number = tf.shape(initial_clusters)[0]
        has_updated_centers = self._use_mini_batch and self._steps > 1
        empty = tf.constant([], dtype=tf.float32)
        # The shape changes when centers are chosen, which resource variables do not allow.
        clusters = tf.Variable(empty, name=CLUSTERS_VAR_NAME, validate_shape=False, use_resource=False)
        initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
        updated, steps_left, counts = clusters, None, None
        if has_updated_centers:
            updated = tf.Variable(empty, name="clusters_updated", validate_shape=False, use_resource=False)
            steps_left = tf.Variable(self._steps, dtype=tf.int64, name="update_in_steps")
            counts = tf.Variable(tf.zeros([number], dtype=tf.int64))
        elif self._use_mini_batch:
            counts = tf.Variable(tf.ones([number], dtype=tf.int64))
        chosen = InitialCenters(
            self._inputs, number, initial_clusters, self._is_cosine, self._seed, self._retries, self._chain_length,
            clusters, updated, initialized,
        )  # fmt: skip
        init_op = chosen.operation()
        points, centers = self._inputs, clusters
        if self._is_cosine:
            points = [_unit(each) for each in points]
            if not self._centers_are_unit_vectors():
                centers = _unit(clusters)
        distances, scores, nearest = self._nearest(points, centers)
        if self._use_mini_batch:
            with tf.control_dependencies(nearest):
                replace = tf.no_op()
                if has_updated_centers:
                    replace = self._replace_centers(steps_left, clusters, updated, counts)
            with tf.control_dependencies([replace]):
                step = _step_of_batch(points, nearest, updated, counts)
        else:
            step = self._step_of_all(points, number, nearest, clusters)
        return distances, nearest, scores, initialized, init_op, step

    def _centers_are_unit_vectors(self) -> bool:
        """Returns whether the variable of the centers contains unit vectors."""
        return self._is_cosine and (not self._use_mini_batch or self._steps > 1)

    def _nearest(self, points: List[Any], centers: Any) -> Tuple[Any, Any, Any]:
        distances = [self._distances(each, centers) for each in points]
        if self._is_cosine and not self._centers_are_unit_vectors():
            centers = _unit(centers)
        found = []
        for each, all_of_each in zip(points, distances):
            indices, nearest = clustering.nearest(each, centers)
            if self._is_cosine:  # the squared distance of unit vectors is twice the cosine distance
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

    def _replace_centers(self, steps_left: Any, clusters: Any, updated: Any, counts: Any) -> Any:
        """Returns the operation that assigns the updated centers to `clusters` every `self._steps` steps."""

        def replace() -> Any:
            with tf.control_dependencies([tf.assign(steps_left, self._steps - 1)]):
                new = _unit(updated) if self._is_cosine else tf.identity(updated)
                with tf.control_dependencies([tf.assign(clusters, new, validate_shape=False)]):
                    with tf.control_dependencies([tf.assign(counts, tf.zeros_like(counts))]):
                        return tf.identity(steps_left)

        return tf.cond(tf.less_equal(steps_left, 0), replace, lambda: tf.identity(tf.assign_sub(steps_left, 1)))

    def _step_of_all(self, points: List[Any], number: Any, nearest: Any, clusters: Any) -> Any:
        sums, counts = [], []
        for each, indices in zip(points, nearest):
            sums.append(tf.unsorted_segment_sum(each, indices, number))
            ones = tf.ones([tf.shape(each)[0], 1])
            counts.append(tf.unsorted_segment_sum(ones, indices, number))
        new = tf.add_n(sums) / (tf.cast(tf.add_n(counts), sums[0].dtype) + tf.constant(_EPSILON, points[0].dtype))
        if self._centers_are_unit_vectors():
            new = _unit(new)
        return tf.assign(clusters, new, validate_shape=False)


def _unit(vectors: Any) -> Any:
    return tf.nn.l2_normalize(vectors, axis=1)


def _step_of_batch(points: List[Any], nearest: Any, centers: Any, counts: Any) -> Any:
    """Returns the operation that moves each center to the mean of all points that were ever assigned to it.

    Control dependencies order reads before writes, and the parts of the batch one after the other; TensorFlow 1.15 has
    a race condition here.
    """
    done: List[Any] = []
    for each, indices in zip(points, nearest):
        with tf.control_dependencies(done):
            ids, positions = tf.unique(tf.reshape(indices, [-1]))
            size = tf.size(ids)
            old_counts, old_centers = tf.gather(counts, ids), tf.gather(centers, ids)
        new_counts = tf.unsorted_segment_sum(tf.ones_like(positions, dtype=counts.dtype.base_dtype), positions, size)
        # center += (sum of new points - new_counts * center) / (old_counts + new_counts)
        shape = tf.concat([tf.reshape(size, [1]), tf.ones([tf.rank(each) - 1], dtype=tf.int32)], 0)
        moved = tf.unsorted_segment_sum(each, positions, size)
        moved -= tf.cast(tf.reshape(new_counts, shape), each.dtype) * old_centers
        moved *= tf.reshape(tf.reciprocal(tf.cast(old_counts + new_counts, each.dtype)), shape)
        with tf.control_dependencies([moved]):
            done = [tf.scatter_add(counts, ids, new_counts), tf.scatter_add(centers, ids, moved)]
    return tf.group(*done)
