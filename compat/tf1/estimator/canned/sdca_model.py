"""Linear models trained with stochastic dual coordinate ascent (SDCA).

    model = SdcaModel(examples, variables, options)
    train_op = model.update_weights(model.minimize())

Each example has a state of four numbers in a table, by the example's id: its dual variable, and its contributions to
the primal loss, the dual loss and the sum of weights. An operation of TensorFlow computes the step.

Source: Shalev-Shwartz and Zhang, Stochastic Dual Coordinate Ascent Methods for Regularized Loss Minimization, JMLR 14,
2013.
"""
from typing import Any, Dict, List, Optional, Tuple

from legacy_towers.compat.tf1.estimator.canned.sdca_table import StateTable
from legacy_towers.compat.versions import tf

_LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
_KINDS = ("sparse_features_weights", "dense_features_weights")


class SdcaModel:
    """A linear model.

    Args:
      examples: `sparse_features`, a list of SparseFeatureColumn; `dense_features`, a list of float32 [batch, n];
        `example_labels` and `example_weights`, float32 [batch]; `example_ids`, string [batch].
      variables: `sparse_features_weights` and `dense_features_weights`, lists of variables in the order of the
        features; a partitioned one is a list of variables or a partitioned variable.
      options: `loss_type`, `symmetric_l1_regularization`, `symmetric_l2_regularization`, and optionally `adaptive`,
        `num_loss_partitions` (the number of workers that train concurrently) and `num_table_shards`.

    Raises:
      ValueError: a key is missing, or a value is out of range.
    """

    # The name of the slots that hold the weights before L1 shrinkage.
    _SLOT = "{}_unshrinked/SDCAOptimizer"
    _IS_ADAPTIVE = True

    def __init__(self, examples: Dict[str, Any], variables: Dict[str, Any], options: Dict[str, Any]) -> None:
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in _LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        _check(examples, ("example_labels", "example_weights", "example_ids"), ("sparse_features", "dense_features"))
        _check(variables, (), _KINDS)
        _check(options, ("loss_type", "symmetric_l2_regularization", "symmetric_l1_regularization"), ())
        self._examples, self._options = examples, options
        self._check_regularization()
        self._variables = {kind: [_parts(variable) for variable in variables[kind]] for kind in _KINDS}
        self._slots = {kind: [self._slot(parts) for parts in self._variables[kind]] for kind in _KINDS}
        self._table = StateTable(options.get("num_table_shards") or 1)
        tf.summary.scalar("approximate_duality_gap", self.approximate_duality_gap())
        tf.summary.scalar("examples_seen", self._table.size())

    def _check_regularization(self) -> None:
        for name in ("symmetric_l1_regularization", "symmetric_l2_regularization"):
            if self._options[name] < 0.0:
                raise ValueError("{} should be non-negative. Found ({:f})".format(name, self._options[name]))

    def _l1(self) -> float:
        return float(self._options["symmetric_l1_regularization"])

    def _l2(self) -> float:
        # The minimum that the algorithm requires.
        return max(float(self._options["symmetric_l2_regularization"]), 1.0)

    def _l2_of_loss(self) -> float:
        return float(self._options["symmetric_l2_regularization"])

    def _slot(self, parts: List[Any]) -> List[Any]:
        found = []
        for part in parts:
            with tf.device(part.device):
                found.append(tf.Variable(tf.zeros(part.shape), name=self._SLOT.format(part.op.name)))
        return found

    def minimize(self, global_step: Any = None, name: Optional[str] = None) -> Any:
        """Returns the operation of a step over the examples; `update_weights` updates the weights after it.

        Args:
          global_step: a variable to increment.
          name: of the operation.
        """
        with tf.name_scope(name, "sdca/minimize"):
            examples, options = self._examples, self._options
            keys = tf.raw_ops.SdcaFprint(input=tf.convert_to_tensor(examples["example_ids"]))
            sparse = examples["sparse_features"]
            slots = self._slots["sparse_features_weights"]
            # Each index once, also if several examples have the feature.
            indices = [tf.unique(column.feature_indices)[0] for column in sparse]
            states, of_sparse, of_dense = tf.raw_ops.SdcaOptimizerV2(
                sparse_example_indices=[column.example_indices for column in sparse],
                sparse_feature_indices=[column.feature_indices for column in sparse],
                sparse_feature_values=[each.feature_values for each in sparse if each.feature_values is not None],
                dense_features=[tf.convert_to_tensor(each) for each in examples["dense_features"]],
                example_weights=tf.convert_to_tensor(examples["example_weights"]),
                example_labels=tf.convert_to_tensor(examples["example_labels"]),
                sparse_indices=indices,
                sparse_weights=[_gather(parts, index) for parts, index in zip(slots, indices)],
                dense_weights=[_whole(parts) for parts in self._slots["dense_features_weights"]],
                example_state_data=self._table.lookup(keys),
                loss_type=options["loss_type"],
                l1=self._l1(),
                l2=self._l2(),
                num_loss_partitions=options.get("num_loss_partitions", 1),
                num_inner_iterations=1,
                adaptive=options.get("adaptive", self._IS_ADAPTIVE),
            )
            with tf.control_dependencies([states]):
                updates = [self._table.insert(keys, states)]
                for parts, index, change in zip(slots, indices, of_sparse):
                    updates += _scatter_add(parts, index, change)
                for parts, change in zip(self._slots["dense_features_weights"], of_dense):
                    sizes = [part.shape.as_list()[0] for part in parts]
                    pieces = tf.split(change, sizes) if len(parts) > 1 else [change]
                    updates += [tf.assign_add(part, piece) for part, piece in zip(parts, pieces)]
            if global_step is None:
                return tf.group(*updates)
            with tf.control_dependencies(updates):
                return tf.assign_add(global_step, 1, name=name).op

    def update_weights(self, train_op: Any) -> Any:
        """Returns the operation that assigns the weights, with L1 shrinkage, after `train_op`."""
        threshold = self._l1() / self._l2()
        updates = []
        with tf.control_dependencies([train_op]):
            for variable, slot in self._all_parts():
                with tf.device(variable.device):
                    value = slot.read_value()
                    shrunk = tf.sign(value) * tf.maximum(tf.abs(value) - threshold, 0.0)
                    updates.append(tf.assign(variable, shrunk))
        return tf.group(*updates)

    def approximate_duality_gap(self) -> Any:
        """Returns an upper bound of the loss above its optimum, over all examples seen; nan before the first."""
        with tf.name_scope("sdca/approximate_duality_gap"):
            sums = self._table.sums()
            whole = sums[1] + sums[2] + self._l1_loss() + 2.0 * self._l2_loss(self._l2())
            return whole / sums[3]

    def predictions(self, examples: Dict[str, Any]) -> Any:
        """Returns the predictions [batch] for `examples`: probabilities (logistic loss), rates (Poisson) or values."""
        _check(examples, ("example_weights",), ("sparse_features", "dense_features"))
        result = self._linear(examples)
        if self._options["loss_type"] == "logistic_loss":
            return tf.sigmoid(result)
        return tf.exp(result) if self._options["loss_type"] == "poisson_loss" else result

    def unregularized_loss(self, examples: Dict[str, Any]) -> Any:
        """Returns the mean loss of `examples` without regularization, a float64 scalar."""
        _check(examples, ("example_labels", "example_weights"), ("sparse_features", "dense_features"))
        with tf.name_scope("sdca/unregularized_loss"):
            found = tf.cast(self._linear(examples), tf.float64)
            labels = tf.cast(tf.convert_to_tensor(examples["example_labels"]), tf.float64)
            weights = tf.cast(tf.convert_to_tensor(examples["example_weights"]), tf.float64)
            losses = self._losses(labels, found)
            return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)

    def regularized_loss(self, examples: Dict[str, Any]) -> Any:
        """Returns the mean loss of `examples` with regularization, a float64 scalar."""
        with tf.name_scope("sdca/regularized_loss"):
            weights = tf.cast(tf.convert_to_tensor(examples["example_weights"]), tf.float64)
            regularization = self._l1_loss() + self._l2_loss(self._l2_of_loss())
            return regularization / tf.reduce_sum(weights) + self.unregularized_loss(examples)

    def _losses(self, labels: Any, found: Any) -> Any:
        kind = self._options["loss_type"]
        if kind == "logistic_loss":
            return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=found)
        if kind == "poisson_loss":
            return tf.nn.log_poisson_loss(targets=labels, log_input=found)
        if kind == "squared_loss":
            return tf.square(labels - found) / 2.0
        # hinge_loss and smooth_hinge_loss
        return tf.nn.relu(1.0 - (2.0 * labels - 1.0) * found)

    def _linear(self, examples: Dict[str, Any]) -> Any:
        """Returns the weighted sums [batch] of the features."""
        with tf.name_scope("sdca/prediction"):
            count = tf.size(examples["example_weights"])
            result = tf.zeros([count])
            for column, parts in zip(examples["sparse_features"], self._variables["sparse_features_weights"]):
                entries = tf.reshape(_gather(parts, column.feature_indices), [-1])
                if column.feature_values is not None:
                    entries *= column.feature_values
                result += tf.unsorted_segment_sum(entries, column.example_indices, count)
            for numbers, parts in zip(examples["dense_features"], self._variables["dense_features_weights"]):
                product = tf.matmul(tf.convert_to_tensor(numbers), tf.reshape(_whole(parts), [-1, 1]))
                result += tf.reshape(product, [-1])
            return result

    def _l1_loss(self) -> Any:
        with tf.name_scope("sdca/l1_loss"):
            values = [tf.cast(variable.read_value(), tf.float64) for variable, _ in self._all_parts()]
            return self._l1() * tf.add_n([tf.reduce_sum(tf.abs(value)) for value in values])

    def _l2_loss(self, l2: float) -> Any:
        with tf.name_scope("sdca/l2_loss"):
            values = [tf.cast(variable.read_value(), tf.float64) for variable, _ in self._all_parts()]
            return l2 * tf.add_n([tf.reduce_sum(tf.square(value)) for value in values]) / 2.0

    def _all_parts(self) -> List[Tuple[Any, Any]]:
        """Returns (variable, slot) of all parts."""
        pairs = [pair for kind in _KINDS for pair in zip(self._variables[kind], self._slots[kind])]
        return [parts for variable, slot in pairs for parts in zip(variable, slot)]


class UpdateWeightsHook(tf.train.SessionRunHook):
    """Updates the weights of `model` after each run of `train_op`."""

    def __init__(self, model: SdcaModel, train_op: Any) -> None:
        self._model = model
        self._train_op = train_op
        self._update: Any = None

    def begin(self) -> None:
        self._update = self._model.update_weights(self._train_op)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._update)


def _check(given: Dict[str, Any], names: Tuple[str, ...], lists: Tuple[str, ...]) -> None:
    for name in names + lists:
        if given[name] is None:
            raise ValueError("{} must be specified.".format(name))
    for name in lists:
        if not isinstance(given[name], list):
            raise ValueError("{} must be a list.".format(name))


def _parts(variable: Any) -> List[Any]:
    return list(variable) if isinstance(variable, (list, tuple)) or hasattr(variable, "partitions") else [variable]


def _whole(parts: List[Any]) -> Any:
    values = [part.read_value() for part in parts]
    return values[0] if len(values) == 1 else tf.concat(values, 0)


def _gather(parts: List[Any], index: Any) -> Any:
    if len(parts) == 1:
        return tf.gather(parts[0].read_value(), index)
    return tf.nn.embedding_lookup(parts, index, partition_strategy="div")


def _scatter_add(parts: List[Any], index: Any, change: Any) -> List[Any]:
    if len(parts) == 1:
        return [tf.scatter_add(parts[0], index, change)]
    done, start = [], 0
    for part in parts:
        size = part.shape.as_list()[0]
        here = tf.logical_and(tf.greater_equal(index, start), tf.less(index, start + size))
        done.append(tf.scatter_add(part, tf.boolean_mask(index, here) - start, tf.boolean_mask(change, here)))
        start += size
    return done
