"""GMM: a mixture of normal distributions as an estimator of tf.contrib.learn."""
from typing import Any, Iterator, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.factorization import mixture
from legacy_towers.oldtf.contrib.factorization.kmeans import InitializeClustersHook
from legacy_towers.oldtf.contrib.learn.estimator import Estimator
from legacy_towers.oldtf.contrib.learn.mode import ModelFnOps


class GMM(Estimator):
    """A mixture of `num_clusters` normal distributions; for the arguments see `GmmAlgorithm`."""

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
        """Yields the most likely class of each point."""
        for found in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs):
            yield found[GMM.ASSIGNMENTS]

    def score(self, input_fn: Any = None, batch_size: Any = None, steps: Any = None) -> Any:
        """Returns the log of the sum of the densities of the points."""
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(found[GMM.SCORES])))

    def weights(self) -> Any:
        """Returns the weights [classes] of the latest checkpoint."""
        return self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """Returns the means [classes, numbers] of the latest checkpoint."""
        return np.squeeze(self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_VARIABLE), 1)

    def covariances(self) -> Any:
        """Returns the covariances of the latest checkpoint."""
        return self.get_variable_value(mixture.GmmAlgorithm.CLUSTERS_COVS_VARIABLE)
