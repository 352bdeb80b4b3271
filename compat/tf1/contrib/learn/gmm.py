"""GMM: a Gaussian mixture model as an estimator of tf.contrib.learn."""
from typing import Any, Iterator, Optional

import numpy as np

from legacy_towers.compat.tf1.contrib.factorization import mixture
from legacy_towers.compat.tf1.contrib.factorization.kmeans import InitializeClustersHook
from legacy_towers.compat.tf1.contrib.learn.estimator import Estimator
from legacy_towers.compat.tf1.contrib.learn.mode import ModelFnOps
from legacy_towers.compat.versions import tf


class GMM(Estimator):
    """Estimator of a Gaussian mixture model with `num_clusters` components; see `GmmAlgorithm` for the arguments."""

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: Optional[str] = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = "full",
        config: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            if isinstance(features, dict):
                features = tf.concat([features[key] for key in sorted(features)], 1)
            loss, scores, assigned, step, init_op, initialized = mixture.gmm(
                features, initial_clusters, num_clusters, random_seed, covariance_type, params
            )
            with tf.control_dependencies([step, tf.assign_add(tf.train.get_global_step(), 1)]):
                train_op = tf.identity(loss)
            return ModelFnOps(
                mode,
                predictions={GMM.ASSIGNMENTS: assigned[0][0]},
                loss=loss,
                train_op=train_op,
                eval_metric_ops={GMM.SCORES: (scores, tf.no_op()), GMM.LOG_LIKELIHOOD: tf.metrics.mean(loss)},
                training_hooks=[InitializeClustersHook(init_op, initialized, config.is_chief)],
            )

        super().__init__(model_fn, model_dir, config)

    def predict_assignments(self, input_fn: Any = None, batch_size: Any = None, outputs: Any = None) -> Iterator[Any]:
        """Yields the most likely component of each point."""
        for predictions in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs):
            yield predictions[GMM.ASSIGNMENTS]

    def score(self, input_fn: Any = None, batch_size: Any = None, steps: Any = None) -> Any:
        """Returns the logarithm of the sum of the points' densities."""
        results = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(results[GMM.SCORES])))

    def weights(self) -> Any:
        """Returns the components' weights [clusters] in the latest checkpoint."""
        return self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """Returns the components' means [clusters, dimensions] in the latest checkpoint."""
        return np.squeeze(self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Any:
        """Returns the components' covariances in the latest checkpoint."""
        return self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_COVS_VARIABLE)
