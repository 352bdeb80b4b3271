"""tf.estimator.experimental.LinearSDCA: linear estimators trained with stochastic dual coordinate ascent (SDCA)."""
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.estimator.canned import networks
from legacy_towers.compat.tf1.estimator.canned.sdca_features import of_columns, whole_or_parts
from legacy_towers.compat.tf1.estimator.canned.sdca_model import SdcaModel, UpdateWeightsHook
from legacy_towers.compat.tf1.estimator.heads import single
from legacy_towers.compat.tf1.estimator.heads.base import Head
from legacy_towers.compat.tf1.estimator.mode_keys import ModeKeys
from legacy_towers.compat.tf1.estimator.spec import EstimatorSpec
from legacy_towers.compat.tf1.private import feature_columns as columns_of_tf
from legacy_towers.compat.versions import tf


class _Model(SdcaModel):
    _SLOT = "{}_unshrunk"
    _IS_ADAPTIVE = False

    def _check_regularization(self) -> None:
        if self._options["symmetric_l2_regularization"] <= 0.0:
            raise ValueError("symmetric_l2_regularization should be positive.")
        if self._options["symmetric_l1_regularization"] < 0.0:
            raise ValueError("symmetric_l1_regularization should be non-negative.")

    def _l2(self) -> float:
        return float(self._options["symmetric_l2_regularization"])


class LinearSDCA:
    """The `optimizer` of a LinearClassifier of two classes, or of a LinearRegressor with one output.

    Args:
      example_id_column: the name of the feature with the ids of examples, string [batch]; not a feature column.
      num_loss_partitions: the number of workers that train concurrently.
      num_table_shards: the number of tables for the states of examples; one by default.
      symmetric_l1_regularization: at least 0.
      symmetric_l2_regularization: greater than 0, typically greater than 1.
      adaptive: whether to sample examples with a larger expected gain more often.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: Optional[int] = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        self.example_id_column = example_id_column
        self.options: Dict[str, Any] = dict(
            num_loss_partitions=num_loss_partitions,
            num_table_shards=num_table_shards,
            symmetric_l1_regularization=symmetric_l1_regularization,
            symmetric_l2_regularization=symmetric_l2_regularization,
            adaptive=adaptive,
        )

    def get_train_step(
        self, state_manager: Any, weight_column_name: Optional[str], loss_type: str, feature_columns: Sequence[Any],
        features: Any, targets: Any, bias_var: Any, global_step: Any,
    ) -> Tuple[SdcaModel, Any]:
        """Returns (an SdcaModel, its train operation).

        Args:
          state_manager: its get_variable(column, "weights") returns the weights of a feature column.
          weight_column_name: the name of the feature with the weights of examples, or None.
          loss_type: "logistic_loss" or "squared_loss".
          feature_columns: of the model.
          features: name -> tensor.
          targets: labels or regression targets, [batch] or [batch, 1].
          bias_var: the bias, [1].
          global_step: the variable to increment, or None.
        """
        variables = {column: state_manager.get_variable(column, "weights") for column in feature_columns}
        examples, weights = _inputs(feature_columns, variables, features)
        count = tf.shape(targets)[0]
        examples.update(
            example_labels=tf.cast(tf.reshape(targets, [-1]), tf.float32),
            example_weights=tf.reshape(features[weight_column_name], [-1]) if weight_column_name else tf.ones([count]),
            example_ids=features[self.example_id_column],
        )
        examples["dense_features"].append(tf.ones([count, 1]))
        weights["dense_features_weights"].append(bias_var)
        model = _Model(examples, weights, dict(self.options, loss_type=loss_type))
        return model, model.minimize(global_step)


class _Variables(NamedTuple):
    by_column: Dict[Any, Any]

    def get_variable(self, column: Any, name: str) -> Any:
        return whole_or_parts(self.by_column[column])


def check(optimizer: Any, head: Head, sparse_combiner: str) -> None:
    """Raises a ValueError if `optimizer` is a LinearSDCA that can't train the model."""
    if not isinstance(optimizer, LinearSDCA):
        return
    if sparse_combiner != "sum":
        raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')
    if isinstance(head, single.MultiClassHead):
        raise ValueError("LinearSDCA cannot be used in a multi-class setting.")
    _loss_of(head)


def build(
    head: Head, columns: Sequence[Any], optimizer: LinearSDCA, features: Any, labels: Any, mode: str
) -> EstimatorSpec:
    """Returns the EstimatorSpec of a linear estimator in `mode`."""
    logits, variables = networks.linear_logits(features, 1, columns)
    if mode != ModeKeys.TRAIN:
        return head.create_estimator_spec(features, mode, logits, labels)
    model, train_op = optimizer.get_train_step(
        _Variables(variables), head._weight_column, _loss_of(head), columns, features, labels,
        whole_or_parts(variables["bias"]), tf.train.get_global_step(),
    )
    spec = head.create_estimator_spec(features, mode, logits, labels, train_op_fn=lambda loss: train_op)
    return spec._replace(training_chief_hooks=spec.training_chief_hooks + (UpdateWeightsHook(model, train_op),))


def _inputs(columns: Sequence[Any], variables: Dict[Any, Any], features: Any) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Returns the features and the weights of an SdcaModel."""
    builder = columns_of_tf.transformed(features)
    sparse, dense = of_columns(columns, builder, lambda column: columns_of_tf.numbers(column, builder))
    return (
        dict(sparse_features=list(sparse.values()), dense_features=list(dense.values())),
        dict(
            sparse_features_weights=[variables[column] for column in sparse],
            dense_features_weights=[variables[column] for column in dense],
        ),
    )


def _loss_of(head: Head) -> str:
    if isinstance(head, single.BinaryClassHead):
        return "logistic_loss"
    if type(head) is single.RegressionHead and head.logits_dimension == 1:
        return "squared_loss"
    raise ValueError(
        "Unsupported head type: {}. LinearSDCA supports binary classification and regression with one output".format(
            head
        )
    )
