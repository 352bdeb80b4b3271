"""tf.contrib.linear_optimizer: stochastic dual coordinate ascent (SDCA) for linear models."""
from typing import Any, Dict, Optional, Tuple

from legacy_towers.compat.tf1.estimator.canned.sdca_features import SparseFeatureColumn, of_columns, whole_or_parts
from legacy_towers.compat.tf1.estimator.canned.sdca_model import SdcaModel
from legacy_towers.compat.tf1.private import feature_columns as columns_of_tf
from legacy_towers.compat.versions import tf

__all__ = ["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"]


class SDCAOptimizer:
    """Trains tf.contrib.learn's LinearClassifier and LinearRegressor by SDCA, as their `optimizer`.

    Shalev-Shwartz and Zhang, "Stochastic Dual Coordinate Ascent Methods for Regularized Loss", 2013.

    Args:
      example_id_column: the name of the string feature [batch] of unique example ids; not a feature column.
      num_loss_partitions: the number of workers that train at the same time.
      num_table_shards: the number of hash tables for the dual variables of the examples.
      symmetric_l1_regularization: 0 or more.
      symmetric_l2_regularization: values below 1 are 1 in training.
      adaptive: samples examples by their duality gap.
      partitioner: partitions the weight variables.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: Optional[int] = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Any = None,
    ) -> None:
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive
        self._partitioner = partitioner

    def get_name(self) -> str:
        """Returns the name of the optimizer."""
        return "SDCAOptimizer"

    @property
    def example_id_column(self) -> str:
        return self._example_id_column

    @property
    def num_loss_partitions(self) -> int:
        return self._num_loss_partitions

    @property
    def num_table_shards(self) -> Optional[int]:
        return self._num_table_shards

    @property
    def symmetric_l1_regularization(self) -> float:
        return self._symmetric_l1_regularization

    @property
    def symmetric_l2_regularization(self) -> float:
        return self._symmetric_l2_regularization

    @property
    def adaptive(self) -> bool:
        return self._adaptive

    @property
    def partitioner(self) -> Any:
        return self._partitioner

    def get_train_step(
        self,
        columns_to_variables: Dict[Any, Any],
        weight_column_name: Optional[str],
        loss_type: str,
        features: Dict[Any, Any],
        targets: Any,
        global_step: Any,
    ) -> Tuple[SdcaModel, Any]:
        """Returns (an SdcaModel, its train operation).

        Args:
          columns_to_variables: column -> list of its variables.
          weight_column_name: the name of the feature with example weights, or None.
          loss_type: see SdcaModel.
          features: name or column -> tensor.
          targets: labels or regression targets, [batch] or [batch, 1].
          global_step: the variable to increment, or None.

        Raises:
          ValueError: a column is not supported.
        """
        builder = columns_of_tf.transformed({name: value for name, value in features.items() if isinstance(name, str)})

        def numbers(column: Any) -> Any:
            if hasattr(column, "categorical_column"):
                raise ValueError("SDCAOptimizer does not support column type {}.".format(type(column).__name__))
            return features[column] if column in features else columns_of_tf.numbers(column, builder)

        sparse, dense = of_columns(columns_to_variables, builder, numbers)
        labels = tf.cast(tf.reshape(targets, [-1]), tf.float32)
        weights = tf.ones(tf.shape(labels))
        if weight_column_name:
            weights = tf.cast(tf.reshape(features[weight_column_name], [-1]), tf.float32)
        examples = dict(
            sparse_features=list(sparse.values()),
            dense_features=list(dense.values()),
            example_labels=labels,
            example_weights=weights,
            example_ids=features[self._example_id_column],
        )
        model = SdcaModel(
            examples,
            dict(
                sparse_features_weights=[whole_or_parts(columns_to_variables[column]) for column in sparse],
                dense_features_weights=[columns_to_variables[column][0] for column in dense],
            ),
            dict(
                symmetric_l1_regularization=self._symmetric_l1_regularization,
                symmetric_l2_regularization=self._symmetric_l2_regularization,
                adaptive=self._adaptive,
                num_loss_partitions=self._num_loss_partitions,
                num_table_shards=self._num_table_shards,
                loss_type=loss_type,
            ),
        )
        return model, model.minimize(global_step=global_step)
