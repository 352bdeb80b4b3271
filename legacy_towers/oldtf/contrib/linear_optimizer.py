"""tf.contrib.linear_optimizer: linear models by stochastic dual coordinate ascent, alone and in tf.contrib.learn."""
from typing import Any, Dict, Optional, Tuple

from legacy_towers.compat import feature_columns as columns_of_tf
from legacy_towers.compat import tf
from legacy_towers.oldtf.estimator.sdca_features import SparseFeatureColumn, of_columns, whole_or_parts
from legacy_towers.oldtf.estimator.sdca_model import SdcaModel

__all__ = ["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"]


class SDCAOptimizer:
    """The `optimizer` of tf.contrib.learn's LinearClassifier and LinearRegressor.

    Args:
      example_id_column: the feature [batch] of words that are the examples' ids; it is no column.
      num_loss_partitions: how many workers train at the same time.
      num_table_shards: into how many tables the examples' states are put.
      symmetric_l1_regularization: 0 or more.
      symmetric_l2_regularization: less than 1 counts as 1 in training.
      adaptive: whether examples that still have much to give are taken more often.
      partitioner: cuts the weights into parts.
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
        """Returns its name."""
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
        """Returns a model, and the operation of its step.

        Args:
          columns_to_variables: column -> list of its variables.
          weight_column_name: the feature of the examples' weights, or None.
          loss_type: see SdcaModel.
          features: name -> tensor; a column that no feature is for may be there itself.
          targets: labels or numbers [batch] or [batch, 1].
          global_step: a variable to count up, or None.
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
