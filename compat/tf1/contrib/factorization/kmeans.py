"""KMeansClustering: an Estimator for k-means."""
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.factorization import clustering
from legacy_towers.compat.tf1.estimator.estimator import Estimator
from legacy_towers.compat.tf1.estimator.export import receivers
from legacy_towers.compat.tf1.estimator.private import runtime
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.versions import tf


class InitializeClustersHook(tf.train.SessionRunHook):
    """Runs `init_op` in the chief until `is_initialized` is True; other workers wait."""

    def __init__(self, init_op: Any, is_initialized: Any, is_chief: bool) -> None:
        self._init_op = init_op
        self._is_initialized = is_initialized
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(1)


class RelativeToleranceHook(tf.train.SessionRunHook):
    """Stops training when the relative change of the loss is below `tolerance`."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._previous_loss: Optional[float] = None

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss = run_values.results
        if self._previous_loss and abs(loss - self._previous_loss) / (1 + abs(self._previous_loss)) < self._tolerance:
            run_context.request_stop()
        self._previous_loss = loss


class KMeansClustering(Estimator):
    """Trains k-means clustering, and predicts clusters and distances.

    `input_fn` returns points [points, dimensions], or a dict of tensors [points, 1], which are concatenated by name or
    by `feature_columns`.

    Args:
      num_clusters, initial_clusters, distance_metric, random_seed, use_mini_batch, mini_batch_steps_per_iteration,
        kmeans_plus_plus_num_retries: see `KMeans` in factorization/clustering.py.
      model_dir: the directory of checkpoints and summaries.
      relative_tolerance: stops training when the relative change of the loss is below this number.
      config: a RunConfig.
      feature_columns: dense columns of the features.

    Raises:
      ValueError: `initial_clusters` or `distance_metric` is unknown.
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering.COSINE_DISTANCE
    RANDOM_INIT = clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering.KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = clustering.CLUSTERS_VAR_NAME

    def __init__(
        self,
        num_clusters: Any,
        model_dir: Optional[str] = None,
        initial_clusters: Any = clustering.RANDOM_INIT,
        distance_metric: str = clustering.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: Optional[float] = None,
        config: Any = None,
        feature_columns: Any = None,
    ) -> None:
        algorithms = (clustering.RANDOM_INIT, clustering.KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in algorithms:
            raise ValueError("Unsupported initialization algorithm '{}'".format(initial_clusters))
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError("Unsupported distance metric '{}'".format(distance_metric))

        def model_fn(features: Any, mode: str, config: Any) -> EstimatorSpec:
            graph = clustering.KMeans(
                points(features, feature_columns),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            ).training_graph()
            return _spec(graph, mode, config, relative_tolerance)

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_index(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """Yields the index of the nearest center of each point."""
        return self._predicted(input_fn, self.CLUSTER_INDEX)

    def transform(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """Yields the distances [clusters] of each point to all centers; Euclidean ones are squared."""
        return self._predicted(input_fn, self.ALL_DISTANCES)

    def score(self, input_fn: Callable[[], Any]) -> Any:
        """Returns the sum of the distances of the points of the first batch to their nearest centers."""
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def cluster_centers(self) -> Any:
        """Returns the centers [clusters, dimensions] of the latest checkpoint."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)

    def _predicted(self, input_fn: Callable[[], Any], key: str) -> Iterator[Any]:
        for found in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield found[key]


def points(features: Any, columns: Any) -> Any:
    """Returns the points [batch, dimensions] of the features that an input_fn returned."""
    if not isinstance(features, dict):
        return features
    if columns:
        return tf.feature_column.input_layer(features, columns)
    return tf.concat([features[key] for key in sorted(features)], axis=1)


def training(
    graph: Any, config: Any, tolerance: Optional[float], name: Optional[str] = None
) -> Tuple[Any, Any, List[Any]]:
    """Returns (loss, train op, hooks) for `graph`, the result of `KMeans.training_graph`; `name` names the loss."""
    _, _, scores, initialized, init_op, step = graph
    loss = tf.reduce_sum(scores, name=name)
    tf.summary.scalar("loss/raw", loss)
    with tf.control_dependencies([step, tf.assign_add(tf.train.get_global_step(), 1)]):
        train_op = tf.identity(loss)
    hooks: List[Any] = [InitializeClustersHook(init_op, initialized, config.is_chief)]
    if tolerance is not None:
        hooks.append(RelativeToleranceHook(loss, tolerance))
    return loss, train_op, hooks


def _spec(graph: Any, mode: str, config: Any, tolerance: Optional[float]) -> EstimatorSpec:
    distances, nearest = graph[:2]
    loss, train_op, hooks = training(graph, config, tolerance)
    predictions: Dict[str, Any] = {
        KMeansClustering.ALL_DISTANCES: distances[0],
        KMeansClustering.CLUSTER_INDEX: nearest[0],
    }
    outputs = {key: receivers.PredictOutput(value) for key, value in predictions.items()}
    outputs[runtime.SERVING_DEFAULT] = receivers.PredictOutput(nearest[0])
    return EstimatorSpec(
        mode,
        predictions=predictions,
        loss=loss,
        train_op=train_op,
        eval_metric_ops={KMeansClustering.SCORE: tf.metrics.mean(loss)},
        training_hooks=hooks,
        export_outputs=outputs,
    )
