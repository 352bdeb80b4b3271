"""Gaussian mixture models in a graph, trained by expectation maximization (EM)."""
import math
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from legacy_towers.compat.tf1.contrib.factorization.centers import RANDOM_INIT
from legacy_towers.compat.versions import tf

FULL_COVARIANCE = "full"
DIAG_COVARIANCE = "diag"
_TINY = np.finfo(float).eps
# Added to all variances.
_MIN_VARIANCE = 1e-3


class GmmAlgorithm:
    """Builds the operations of a mixture of `num_classes` Gaussians.

    Args:
      data: the parts of the data, each float32 [points, dimensions].
      num_classes: the number of Gaussians.
      initial_means: [classes, dimensions]; None chooses random points.
      params: the parameters that a step updates: weights "w", means "m", covariances "c".
      covariance_type: "full" or "diag".
      random_seed: the seed of the initial means.

    Raises:
      ValueError: `covariance_type` is unknown.
    """

    CLUSTERS_WEIGHT = "alphas"
    CLUSTERS_VARIABLE = "clusters"
    CLUSTERS_COVS_VARIABLE = "clusters_covs"

    def __init__(
        self,
        data: List[Any],
        num_classes: int,
        initial_means: Any = None,
        params: str = "wmc",
        covariance_type: str = FULL_COVARIANCE,
        random_seed: int = 0,
    ) -> None:
        if covariance_type not in (DIAG_COVARIANCE, FULL_COVARIANCE):
            raise ValueError("programmer error: Invalid covariance type: {}".format(covariance_type))
        self._classes = num_classes
        self._is_full = covariance_type == FULL_COVARIANCE
        self._dimensions = tf.shape(data[0])[1]
        self._min_covariance = tf.diag(tf.ones(tf.stack([self._dimensions]))) * _MIN_VARIANCE
        empty = tf.constant([], dtype=tf.float32)
        # The shape changes at initialization, which resource variables do not allow.
        self._means = tf.Variable(empty, name=self.CLUSTERS_VARIABLE, validate_shape=False, use_resource=False)
        self._covs = tf.Variable(empty, name=self.CLUSTERS_COVS_VARIABLE, validate_shape=False, use_resource=False)
        weights = tf.tile([1.0 / num_classes], [num_classes])
        self._alpha = tf.Variable(weights, name=self.CLUSTERS_WEIGHT, validate_shape=False)
        self._initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
        self._init_op = self._initialize(data, initial_means, random_seed)
        # The log density of each point in each class, and its log-sum-exp over classes.
        self._probs = [self._log_densities(part) + tf.log(self._alpha) for part in data]
        self._prior_probs = [tf.reduce_logsumexp(each, axis=1, keepdims=True) for each in self._probs]
        shapes = [tf.stack([tf.shape(part)[0], num_classes]) for part in data]
        self._w = [
            tf.reshape(tf.exp(each - prior), shape)
            for each, prior, shape in zip(self._probs, self._prior_probs, shapes)
        ]
        self._train_ops = self._maximize(data, params)

    def init_ops(self) -> Any:
        """Returns the operation that initializes means and covariances once."""
        return self._init_op

    def training_ops(self) -> Any:
        """Returns the operation of a step."""
        return tf.group(*self._train_ops)

    def is_initialized(self) -> Any:
        """Returns the bool variable that `init_ops` sets."""
        return self._initialized

    def alphas(self) -> Any:
        """Returns the weights [classes]."""
        return self._alpha

    def clusters(self) -> Any:
        """Returns the means [classes, 1, dimensions]."""
        return self._means

    def covariances(self) -> Any:
        """Returns the covariances: "full" [classes, dimensions, dimensions], "diag" [classes, dimensions]."""
        return self._covs

    def assignments(self) -> List[Any]:
        """Returns a list with the most likely class of each point [points], for each part of the data."""
        return [tf.argmax(each, 1) for each in self._w]

    def scores(self) -> Any:
        """Returns the log density of each point, [parts * points, 1]."""
        parts = [prior + tf.log(each) for prior, each in zip(self._prior_probs, self._w)]
        return tf.squeeze(tf.reduce_logsumexp(parts, axis=2, keepdims=True), axis=0)

    def log_likelihood_op(self) -> Any:
        """Returns the scalar log-sum-exp of the log densities of all points."""
        return tf.reduce_logsumexp([tf.reduce_logsumexp(prior) for prior in self._prior_probs])

    def _initialize(self, data: List[Any], initial_means: Any, seed: int) -> Any:
        chosen = initial_means if initial_means is not None else _random_points(data, self._classes, seed)
        means = tf.expand_dims(chosen, 1)
        covariance = _covariance(data[0], not self._is_full) + self._min_covariance
        if self._is_full:
            covs = tf.tile(tf.expand_dims(covariance, 0), [self._classes, 1, 1])
        else:
            covs = tf.tile(tf.expand_dims(tf.diag_part(covariance), 0), [self._classes, 1])
        with tf.control_dependencies([means, covs]):
            initialized = tf.identity(self._initialized)
        assigned = []
        for variable, value in ((self._means, means), (self._covs, covs)):
            assigned.append(tf.cond(initialized, lambda: tf.constant(True), _assigning(variable, value)))
        with tf.control_dependencies(assigned):
            return tf.assign(self._initialized, True).op

    def _log_densities(self, part: Any) -> Any:
        points = tf.expand_dims(part, 0)
        constant = tf.cast(self._dimensions, tf.float32) * math.log(2 * np.pi)
        if self._is_full:
            root = tf.cholesky(self._covs + self._min_covariance)
            logs = 2.0 * tf.reduce_sum(tf.log(tf.matrix_diag_part(root)), 1)
            deviations = tf.transpose(points - self._means, perm=[0, 2, 1])
            squares = tf.square(tf.matrix_triangular_solve(root, deviations, lower=True))
            return -0.5 * (tf.transpose(tf.reduce_sum(squares, 1)) + constant + logs)
        logs = tf.reduce_sum(tf.log(self._covs + _MIN_VARIANCE), 1, keepdims=True)
        weights = tf.expand_dims(1.0 / (self._covs + _MIN_VARIANCE), 2)
        squares = tf.squeeze(tf.matmul(tf.squared_difference(points, self._means), weights), [2])
        return -0.5 * (constant + tf.transpose(logs) + tf.transpose(squares))

    def _maximize(self, data: List[Any], params: str) -> List[Any]:
        with tf.control_dependencies(self._w):
            sizes = tf.squeeze(tf.add_n([tf.reduce_sum(each, 0, keepdims=True) for each in self._w]), axis=[0])
            ops = []
            if "w" in params:
                counts = sizes / len(data)
                ops.append(self._alpha.assign(counts / (tf.reduce_sum(counts) + _TINY)))
            sizes = tf.reshape(sizes, [self._classes, 1, 1]) + _TINY
            sums = [tf.expand_dims(tf.matmul(w, part, transpose_a=True), 1) for w, part in zip(self._w, data)]
            squares = [self._squares(w, part) for w, part in zip(self._w, data)]
            means = self._means.read_value()
            if "m" in params:
                assigned = tf.assign(self._means, tf.add_n(sums) / sizes, validate_shape=False)
                ops.append(assigned)
                means = tf.identity(assigned)
            if "c" in params:
                new = tf.add_n(squares) / sizes - tf.matmul(means, means, transpose_a=True) + self._min_covariance
                if not self._is_full:
                    new = tf.matrix_diag_part(new)
                ops.append(tf.assign(self._covs, new, validate_shape=False))
            return ops or [tf.no_op()]

    def _squares(self, w: Any, part: Any) -> Any:
        """Returns the weighted sums of outer products of the points, [classes, dimensions, dimensions]."""
        points = tf.tile(tf.expand_dims(part, 0), [self._classes, 1, 1])
        weighted = tf.transpose(points, perm=[0, 2, 1]) * tf.expand_dims(tf.transpose(w), 1)
        return tf.matmul(weighted, points)


def _assigning(variable: Any, value: Any) -> Callable[[], Any]:
    def assign() -> Any:
        with tf.control_dependencies([tf.assign(variable, value, validate_shape=False)]):
            return tf.constant(True)

    return assign


def _covariance(points: Any, diagonal: bool) -> Any:
    number = tf.cast(tf.shape(points)[0], tf.float32)
    points -= tf.reduce_mean(points, 0, keepdims=True)
    if diagonal:
        return tf.reduce_sum(tf.square(points), 0, keepdims=True) / (number - 1)
    return tf.matmul(points, points, transpose_a=True) / (number - 1)


def _random_points(data: List[Any], number: int, seed: int) -> Any:
    size = tf.add_n([tf.shape(part)[0] for part in data])
    with tf.control_dependencies([tf.assert_less_equal(number, size)]):
        indices = tf.random_uniform([number], minval=0, maxval=tf.cast(size, tf.int64), seed=seed, dtype=tf.int64)
    return tf.nn.embedding_lookup(data, indices % tf.cast(size, tf.int64), partition_strategy="div")


def gmm(
    inp: Any,
    initial_clusters: Any,
    num_clusters: int,
    random_seed: int,
    covariance_type: str = FULL_COVARIANCE,
    params: str = "wmc",
) -> Tuple[Any, Any, Any, Any, Any, Any]:
    """Builds the graph of a Gaussian mixture model.

    Args:
      inp: float32 [points, dimensions], or a list of such parts.
      initial_clusters: "random", or [clusters, dimensions].
      num_clusters: the number of Gaussians.
      random_seed: the seed of the initial means.
      covariance_type: "full" or "diag".
      params: the parameters that a step updates: weights "w", means "m", covariances "c".

    Returns:
      (loss, scores, [assignments], training_op, init_op, is_initialized), see `GmmAlgorithm`.

    Raises:
      ValueError: `initial_clusters` is another string than "random", or `covariance_type` is unknown.
    """
    means: Optional[Any] = None
    if isinstance(initial_clusters, str) and initial_clusters != RANDOM_INIT:
        raise ValueError("initial_clusters must be {!r} or a tensor of means, got {!r}".format(
            RANDOM_INIT, initial_clusters))
    if not isinstance(initial_clusters, (str, tf.Tensor)):
        means = tf.constant(initial_clusters, dtype=tf.float32)
    algorithm = GmmAlgorithm(
        inp if isinstance(inp, list) else [inp], num_clusters, means, params, covariance_type, random_seed
    )
    return (
        algorithm.log_likelihood_op(),
        algorithm.scores(),
        [algorithm.assignments()],
        algorithm.training_ops(),
        algorithm.init_ops(),
        algorithm.is_initialized(),
    )
