"""tf.contrib.kernel_methods: random Fourier features, a linear classifier on them, and a multiclass hinge loss."""
import abc
import math
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat.tf1.contrib import layers
from legacy_towers.compat.tf1.contrib.learn import BaseEstimator, LinearClassifier
from legacy_towers.compat.versions import tf

__all__ = ["KernelLinearClassifier", "RandomFourierFeatureMapper", "sparse_multiclass_hinge_loss"]


class InvalidShapeError(Exception):
    """The input of a mapper has the wrong shape."""


class DenseKernelMapper(abc.ABC):
    """Maps dense features to a space in which a linear model approximates a kernel method."""

    @abc.abstractmethod
    def map(self, input_tensor: Any) -> Any:
        """Returns the mapped features [batch, output_dim] of `input_tensor` [batch, input_dim]."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the mapper."""

    @property
    @abc.abstractmethod
    def output_dim(self) -> int:
        """The number of output features."""


class RandomFourierFeatureMapper(DenseKernelMapper):
    """Maps features so that their dot products approximate the Gaussian kernel exp(-|x - y|^2 / (2 stddev^2)).

    Rahimi and Recht, "Random Features for Large-Scale Kernel Machines", 2007.

    Args:
      input_dim: the number of input features.
      output_dim: the number of output features; more approximate the kernel better.
      stddev: the standard deviation of the kernel.
      seed: the seed of the random projection; mappers with the same seed are equal.
      name: the name of the mapper.
    """

    def __init__(
        self, input_dim: int, output_dim: int, stddev: float = 1.0, seed: int = 1, name: Optional[str] = None
    ) -> None:
        self._input_dim = input_dim
        self._output_dim = output_dim
        self._stddev = stddev
        self._seed = seed
        self._name = name

    @property
    def name(self) -> str:
        """The name of the mapper; its id if it has none."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """The number of input features."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """The number of output features."""
        return self._output_dim

    def map(self, input_tensor: Any) -> Any:
        """Returns sqrt(2 / output_dim) cos(x W + b), where W and b depend only on the seed.

        Args:
          input_tensor: float32 [batch, input_dim].

        Returns:
          float32 [batch, output_dim].

        Raises:
          InvalidShapeError: `input_tensor` has another shape.
        """
        shape = input_tensor.shape
        if shape.ndims != 2:
            raise InvalidShapeError("The shape of the tensor should be 2. Got {} instead.".format(shape.ndims))
        found = shape.as_list()[1]
        if found != self._input_dim:
            expected = "Invalid dimension: expected {} input features, got {} instead."
            raise InvalidShapeError(expected.format(self._input_dim, found))
        # The same numbers as after np.random.seed in TensorFlow 1.15, without changing NumPy's global generator.
        random = np.random.RandomState(self._seed)
        directions = random.normal(scale=1.0 / self._stddev, size=[self._input_dim, self._output_dim])
        shifts = random.uniform(low=0.0, high=2 * np.pi, size=[self._output_dim])
        angles = tf.matmul(input_tensor, tf.constant(directions, tf.float32)) + tf.constant(shifts, tf.float32)
        return math.sqrt(2.0 / self._output_dim) * tf.cos(angles)


class KernelLinearClassifier(LinearClassifier):
    """Trains a linear classifier on kernel-mapped columns, and on other columns unchanged.

    Args:
      feature_columns: columns that are used unmapped.
      model_dir: the directory of checkpoints and summaries.
      n_classes: the number of classes.
      weight_column_name: the feature that has the weights of the examples.
      optimizer: the optimizer, as in tf.contrib.learn.LinearClassifier.
      kernel_mappers: real-valued column -> list of DenseKernelMapper whose outputs are its features. A column that is
        also in `feature_columns` is used unmapped too.
      config: a RunConfig.

    Raises:
      ValueError: there are neither columns nor mappers, or a mapper is not a DenseKernelMapper.
    """

    def __init__(
        self,
        feature_columns: Optional[Sequence[Any]] = None,
        model_dir: Optional[str] = None,
        n_classes: int = 2,
        weight_column_name: Optional[str] = None,
        optimizer: Any = None,
        kernel_mappers: Optional[Dict[Any, List[DenseKernelMapper]]] = None,
        config: Any = None,
    ) -> None:
        if not feature_columns and not kernel_mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        mappers = kernel_mappers or {}
        if not all(isinstance(mapper, DenseKernelMapper) for of_column in mappers.values() for mapper in of_column):
            raise ValueError("Invalid kernel mappers.")
        self._mappers = {column.name: of_column for column, of_column in mappers.items()}
        mapped = [
            layers.real_valued_column(_mapped(name), sum(mapper.output_dim for mapper in of_column))
            for name, of_column in self._mappers.items()
        ]
        super().__init__(
            list(feature_columns or ()) + mapped,
            model_dir,
            n_classes,
            weight_column_name,
            optimizer,
            config=config,
            feature_engineering_fn=self._with_mapped,
        )

    def predict(  # type: ignore[override]
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, outputs: Any = None, as_iterable: bool = True
    ) -> Any:
        """Returns the predictions of each example, as name -> value."""
        return BaseEstimator.predict(self, x, input_fn, batch_size, outputs, as_iterable)

    def predict_classes(self, input_fn: Any = None) -> Any:  # type: ignore[override]
        """Returns the class of each example."""
        return super().predict_classes(input_fn=input_fn)

    def predict_proba(self, input_fn: Any = None) -> Any:  # type: ignore[override]
        """Returns the class probabilities of each example."""
        return super().predict_proba(input_fn=input_fn)

    def _with_mapped(self, features: Any, labels: Any) -> Any:
        features = dict(features)
        for name, mappers in self._mappers.items():
            features[_mapped(name)] = tf.concat([mapper.map(features[name]) for mapper in mappers], 1)
        return features, labels


def sparse_multiclass_hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Optional[str] = None,
    loss_collection: Optional[str] = tf.GraphKeys.LOSSES,
    reduction: str = tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the weighted hinge loss max(0, max over c != label of logit[c] - logit[label] + 1).

    Crammer and Singer, "On the Algorithmic Implementation of Multiclass Kernel-based Vector Machines", 2001.

    Args:
      labels: int32 or int64, [batch] or [batch, 1].
      logits: [batch, classes].
      weights: a scalar, [batch] or [batch, 1].
      scope: the name scope of the operations.
      loss_collection: the collection that gets the loss.
      reduction: a tf.losses.Reduction.

    Raises:
      ValueError: a shape or dtype is not supported.
    """
    with tf.name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as scope:
        if logits.shape.ndims != 2:
            raise ValueError("logits should have rank 2 ([batch_size, num_classes]). Given rank is " + _rank(logits))
        if labels.dtype not in (tf.int32, tf.int64):
            types = "Invalid dtype for labels: {}. Acceptable dtypes: int32 and int64"
            raise ValueError(types.format(labels.dtype))
        if labels.shape.ndims not in (1, 2):
            raise ValueError("labels should have rank 1 ([batch_size]) or 2. Given rank is " + _rank(labels))
        weights = tf.convert_to_tensor(weights)
        if weights.shape.ndims not in (0, 1, 2):
            raise ValueError("weights should have rank 1 ([batch_size]) or 2. Given rank is " + _rank(weights))
        logits = tf.cast(logits, tf.float32)
        count = tf.shape(logits)[1]
        with tf.control_dependencies([tf.assert_less(labels, tf.cast(count, labels.dtype))]):
            labels = tf.reshape(labels, [-1])
        if weights.shape.ndims:
            weights = tf.reshape(weights, [-1])
            weights.shape.assert_is_compatible_with(labels.shape)
        true = tf.reduce_sum(logits * tf.one_hot(labels, count), 1, keepdims=True)
        margins = tf.nn.relu(logits - true + tf.one_hot(labels, count, 0.0, 1.0))
        return tf.losses.compute_weighted_loss(
            tf.reduce_max(margins, 1), weights, scope, loss_collection, reduction=reduction
        )


def _mapped(column: str) -> str:
    return column + "_MAPPED"


def _rank(tensor: Any) -> str:
    return str(tensor.shape.ndims)
