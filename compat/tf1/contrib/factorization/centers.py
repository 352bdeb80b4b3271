"""Initialization of the centers of k-means, from one or several batches."""
from typing import Any, Callable, List

from legacy_towers.compat.tf1.contrib.private import clustering
from legacy_towers.compat.versions import tf

RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"


class InitialCenters:
    """Chooses centers until there are `number`, then sets `initialized`.

    Args:
      inputs: the parts of a batch, each [points, dimensions].
      number: the number of centers.
      initial_clusters: see `KMeans`.
      is_cosine: whether to normalize centers to unit vectors.
      seed: see `KMeans`.
      retries: `kmeans_plus_plus_num_retries` of `KMeans`.
      chain_length: `kmc2_chain_length` of `KMeans`.
      centers: the variable of the centers.
      updated: the variable of the updated centers; may be the same.
      initialized: the bool variable.
    """

    def __init__(
        self,
        inputs: List[Any],
        number: Any,
        initial_clusters: Any,
        is_cosine: bool,
        seed: int,
        retries: int,
        chain_length: int,
        centers: Any,
        updated: Any,
        initialized: Any,
    ) -> None:
        self._inputs = inputs
        self._number = number
        self._initial_clusters = initial_clusters
        self._is_cosine = is_cosine
        self._seed = seed
        self._retries = retries
        self._chain_length = chain_length
        self._centers = centers
        self._updated = updated
        self._initialized = initialized
        self._chosen = tf.shape(centers)[0]
        self._remaining = number - self._chosen
        self._size = tf.add_n([tf.shape(each)[0] for each in inputs])

    def operation(self) -> Any:
        """Returns the operation that chooses centers from one batch; it does nothing once all are chosen."""
        return tf.cond(
            tf.equal(self._remaining, 0),
            lambda: _after(tf.assert_equal(self._initialized, True)),
            self._choose,
        ).op

    def _choose(self) -> Any:
        with tf.control_dependencies([tf.assert_positive(self._remaining)]):
            is_chain = isinstance(self._initial_clusters, str) and self._initial_clusters == KMC2_INIT
            missing = self._chains() if is_chain else self._add(self._units(self._candidates()))
            done = tf.cond(
                tf.equal(missing, 0),
                lambda: tf.identity(tf.assign(self._initialized, True)),
                lambda: tf.constant(False),
            )
            return _after(done)

    def _add(self, found: Any) -> Any:
        """Adds the centers `found`; returns the number of missing centers."""
        # The empty variable has one dimension: concat needs two.
        both = tf.cond(
            tf.equal(self._chosen, 0), lambda: found, lambda: tf.concat([self._centers, found], 0)
        )
        return self._number - tf.shape(self._assigned(both))[0]

    def _assigned(self, value: Any) -> Any:
        assigned = tf.assign(self._centers, value, validate_shape=False)
        if self._updated is not self._centers:
            assigned = tf.assign(self._updated, assigned, validate_shape=False)
        return tf.identity(assigned)

    def _units(self, vectors: Any) -> Any:
        return tf.nn.l2_normalize(vectors, axis=1) if self._is_cosine else vectors

    def _candidates(self) -> Any:
        if callable(self._initial_clusters):
            return self._initial_clusters(self._inputs, self._remaining)
        if not isinstance(self._initial_clusters, str):
            with tf.control_dependencies([tf.assert_equal(self._remaining, tf.shape(self._initial_clusters)[0])]):
                return tf.identity(self._initial_clusters)
        if self._initial_clusters == RANDOM_INIT:
            # If the batch is too small, all of its points are centers.
            whole: Callable[[], Any] = lambda: tf.concat(self._inputs, 0)  # noqa: E731
            return tf.cond(tf.less_equal(self._size, self._remaining), whole, self._random)
        with tf.control_dependencies([tf.assert_greater_equal(self._size, self._remaining)]):
            return clustering.plus_plus(
                self._units(self._inputs[0]), tf.cast(self._remaining, tf.int64), self._seed, self._retries
            )

    def _random(self) -> Any:
        shape = tf.reshape(self._remaining, [-1])
        size = tf.cast(self._size, tf.int64)
        indices = tf.random_uniform(shape, minval=0, maxval=size, seed=self._seed, dtype=tf.int64)
        return tf.nn.embedding_lookup(self._inputs, indices, partition_strategy="div")

    def _chains(self) -> Any:
        """Adds a center for each `chain_length` points of the batch (k-MC2); returns the number of missing centers."""
        points = self._inputs[0]
        parts = tf.cast(tf.shape(points)[0] / self._chain_length, tf.int32)
        chains = tf.maximum(tf.minimum(self._remaining, parts), 1)

        def first() -> Any:
            return self._units(tf.reshape(points[0], [1, -1]))

        def add(step: Any, _: Any) -> Any:
            def by_chain() -> Any:
                start = step * self._chain_length
                part = points[start : start + self._chain_length]
                _, distances = clustering.nearest(part, self._centers)
                index = clustering.end_of_chain(tf.squeeze(distances), self._seed)
                return tf.concat([self._centers, self._units(tf.reshape(part[index], [1, -1]))], 0)

            found = tf.cond(tf.equal(self._chosen, 0), first, by_chain)
            return step + 1, self._number - tf.shape(self._assigned(found))[0]

        return tf.while_loop(lambda step, _: tf.less(step, chains), add, [0, 0])[1]


def _after(operation: Any) -> Any:
    with tf.control_dependencies([operation] if operation is not None else []):
        return tf.constant(True)
