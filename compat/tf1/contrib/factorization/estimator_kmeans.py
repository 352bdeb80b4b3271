"""tf.estimator.experimental.KMeans: KMeansClustering of tf.contrib.factorization, with `random_seed` named `seed`."""
from typing import Any, Optional

from legacy_towers.compat.tf1.contrib.factorization.kmeans import KMeansClustering


class KMeans(KMeansClustering):
    """Trains k-means clustering on the points that an input_fn returns; see KMeansClustering for the arguments."""

    def __init__(
        self,
        num_clusters: Any,
        model_dir: Optional[str] = None,
        initial_clusters: Any = KMeansClustering.RANDOM_INIT,
        distance_metric: str = KMeansClustering.SQUARED_EUCLIDEAN_DISTANCE,
        seed: Optional[int] = None,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: Optional[float] = None,
        config: Any = None,
        feature_columns: Any = None,
    ) -> None:
        super().__init__(
            num_clusters,
            model_dir,
            initial_clusters,
            distance_metric,
            seed or 0,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
            feature_columns,
        )
