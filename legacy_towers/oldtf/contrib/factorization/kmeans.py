"""KMeansClustering: k-means as an estimator."""
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from legacy_towers.compat import estimators, tf
from legacy_towers.oldtf.contrib.factorization import clustering
from legacy_towers.oldtf.estimator import export
from legacy_towers.oldtf.estimator.estimator import Estimator
from legacy_towers.oldtf.estimator.spec import EstimatorSpec


class InitializeClustersHook(tf.train.SessionRunHook):
    """Runs `init_op` until `is_initialized` is true; other processes than the chief wait for that."""

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


class StopAtLittleChange(tf.train.SessionRunHook):
    """Stops once the loss changes by less than the part `tolerance`."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss = loss
        self._tolerance = tolerance
        self._before: Optional[float] = None

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss = run_values.results
        if self._before and abs(loss - self._before) / (1 + abs(self._before)) < self._tolerance:
            run_context.request_stop()
        self._before = loss


class KMeansClustering(Estimator):
    """k-means: `train` moves the centers, `predict_cluster_index`, `transform` and `score` use them.

    `input_fn` gives points [points, numbers], or a dict of [points, 1] that are put together in the order of their
    names, or by `feature_columns`. For the arguments see `KMeans`; `relative_tolerance` ends training once the loss
    changes by less than this part.

    Raises:
      ValueError: an unknown way to choose the first centers, or an unknown distance.
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
        ways = (clustering.RANDOM_INIT, clustering.KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in ways:
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
        """Yields the distances [clusters] of each point to all centers, squared for the Euclidean distance."""
        return self._predicted(input_fn, self.ALL_DISTANCES)

    def score(self, input_fn: Callable[[], Any]) -> Any:
        """Returns the sum of the distances of the first batch's points to their nearest centers."""
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def cluster_centers(self) -> Any:
        """Returns the centers [clusters, numbers] of the latest checkpoint."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)

    def _predicted(self, input_fn: Callable[[], Any], key: str) -> Iterator[Any]:
        for found in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield found[key]


def points(features: Any, columns: Any) -> Any:
    """Returns the points [batch, numbers] that an input_fn gave."""
    if not isinstance(features, dict):
        return features
    if columns:
        return tf.feature_column.input_layer(features, columns)
    return tf.concat([features[key] for key in sorted(features)], axis=1)


def training(
    graph: Any, config: Any, tolerance: Optional[float], name: Optional[str] = None
) -> Tuple[Any, Any, List[Any]]:
    """Returns the loss, called `name`, the train op and the hooks of what `KMeans.training_graph` returned."""
    _, _, scores, initialized, init_op, step = graph
    loss = tf.reduce_sum(scores, name=name)
    tf.summary.scalar("loss/raw", loss)
    with tf.control_dependencies([step, tf.assign_add(tf.train.get_global_step(), 1)]):
        train_op = tf.identity(loss)
    hooks: List[Any] = [InitializeClustersHook(init_op, initialized, config.is_chief)]
    if tolerance is not None:
        hooks.append(StopAtLittleChange(loss, tolerance))
    return loss, train_op, hooks


def _spec(graph: Any, mode: str, config: Any, tolerance: Optional[float]) -> EstimatorSpec:
    distances, nearest = graph[:2]
    loss, train_op, hooks = training(graph, config, tolerance)
    predictions: Dict[str, Any] = {
        KMeansClustering.ALL_DISTANCES: distances[0],
        KMeansClustering.CLUSTER_INDEX: nearest[0],
    }
    outputs = {key: export.PredictOutput(value) for key, value in predictions.items()}
    outputs[estimators.SERVING_DEFAULT] = export.PredictOutput(nearest[0])
    return EstimatorSpec(
        mode,
        predictions=predictions,
        loss=loss,
        train_op=train_op,
        eval_metric_ops={KMeansClustering.SCORE: tf.metrics.mean(loss)},
        training_hooks=hooks,
        export_outputs=outputs,
    )
