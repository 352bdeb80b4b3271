"""tf.contrib.learn.KMeansClustering: k-means with fit, score and transform."""
from typing import Any, Callable, Iterator, Optional

import numpy as np

from legacy_towers.compat.tf1.contrib.factorization import clustering, kmeans
from legacy_towers.compat.tf1.contrib.learn.estimator import Estimator
from legacy_towers.compat.tf1.contrib.learn.mode import ModelFnOps
from legacy_towers.compat.versions import tf


class KMeansClustering(Estimator):
    """Estimator for k-means clustering.

    Input functions return points [batch, dimensions], or a dict of such tensors, which are concatenated in the order
    of their keys.
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering.COSINE_DISTANCE
    RANDOM_INIT = clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering.KMEANS_PLUS_PLUS_INIT
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = clustering.CLUSTERS_VAR_NAME
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"

    def __init__(
        self,
        num_clusters: int,
        model_dir: Optional[str] = None,
        initial_clusters: Any = clustering.RANDOM_INIT,
        distance_metric: str = clustering.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: Optional[float] = None,
        config: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            graph = clustering.KMeans(
                kmeans.points(features, None),
                num_clusters,
                initial_clusters,
                distance_metric,
                use_mini_batch,
                mini_batch_steps_per_iteration,
                random_seed,
                kmeans_plus_plus_num_retries,
            ).training_graph()
            distances, nearest = graph[:2]
            loss, train_op, hooks = kmeans.training(graph, config, relative_tolerance, self.LOSS_OP_NAME)
            predictions = {self.ALL_SCORES: distances[0], self.CLUSTER_IDX: nearest[0]}
            metrics = {self.SCORES: tf.metrics.mean(loss)}
            return ModelFnOps(mode, predictions, loss, train_op, eval_metric_ops=metrics, training_hooks=hooks)

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_idx(self, input_fn: Optional[Callable[[], Any]] = None) -> Iterator[Any]:
        """Yields the index of the nearest center for each point."""
        for prediction in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield prediction[self.CLUSTER_IDX]

    def score(self, input_fn: Optional[Callable[[], Any]] = None, steps: Optional[int] = None) -> Any:
        """Returns the sum of a batch's distances to the nearest centers, averaged over `steps` batches."""
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Optional[Callable[[], Any]] = None, as_iterable: bool = False) -> Any:
        """Returns the distances [points, clusters] to the centers; Euclidean distances are squared."""
        predictions = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return predictions if as_iterable else predictions[self.ALL_SCORES]

    def clusters(self) -> Any:
        """Returns the centers [clusters, dimensions] in the latest checkpoint."""
        return self.get_variable_value(self.CLUSTERS)
