"""rejection_sample and stratified_sample: batches of sampled examples, through queues."""
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat.versions import tf

__all__ = ["rejection_sample", "stratified_sample"]

# Allowed difference of sums of probabilities from 1.
_TOLERANCE = 1e-6


def rejection_sample(
    tensors: Any,
    accept_prob_fn: Callable[[List[Any]], Any],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: Optional[str] = None,
) -> List[Any]:
    """Returns a batch of examples, each accepted with the probability that `accept_prob_fn` returns.

    Args:
      tensors: a list with the tensors of one example, or of many.
      accept_prob_fn: tensors of one example -> acceptance probability, a scalar.
      batch_size: the number of examples in a batch.
      queue_threads: threads that fill the queue of accepted examples.
      enqueue_many: whether `tensors` have a leading dimension of examples.
      prebatch_capacity: with `enqueue_many`, capacity of the queue that splits them into single examples.
      prebatch_threads: threads that fill that queue.
      runtime_checks: whether probabilities are checked to be in [0, 1].
      name: variable scope of the ops.

    Returns:
      A list of tensors [batch_size, ...].

    Raises:
      ValueError: with `enqueue_many`, the numbers of examples differ.
    """
    with tf.variable_scope(name, "rejection_sample", tensors):
        tensor_list = [tf.convert_to_tensor(tensor) for tensor in tensors]
        if enqueue_many:
            for tensor in tensor_list:
                tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(tensor_list[0].shape[:1])
            tensor_list = _dequeue_examples(tensor_list, prebatch_threads, prebatch_capacity)
        probability = accept_prob_fn(tensor_list)
        if runtime_checks:
            checks = [tf.assert_less_equal(0.0, probability), tf.assert_less_equal(probability, 1.0)]
            with tf.control_dependencies(checks):
                probability = tf.identity(probability, name="prob_with_checks")
        return _sample_batch(tensor_list, probability, batch_size, queue_threads)


def stratified_sample(
    tensors: Any,
    labels: Any,
    target_probs: Any,
    batch_size: int,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: Optional[str] = None,
) -> Tuple[List[Any], Any]:
    """Returns batches with the class probabilities `target_probs`; drops examples of classes that are too frequent.

    Args:
      tensors: a list with the tensors of one example, or of many.
      labels: the class of the example, an int scalar, or of each example.
      target_probs: [classes], the probabilities of the classes in a batch.
      batch_size: the number of examples in a batch.
      init_probs: [classes], the probabilities in the data; None: they are estimated from the examples seen.
      enqueue_many: whether `tensors` and `labels` have a leading dimension of examples.
      queue_capacity: capacity of the queue of single examples.
      threads_per_queue: threads that fill each queue.
      name: name scope of the ops.

    Returns:
      (list of tensors [batch_size, ...], labels [batch_size]).

    Raises:
      ValueError: shapes do not match.
    """
    with tf.name_scope(name, "stratified_sample", list(tensors) + [labels]):
        tensor_list = [tf.convert_to_tensor(tensor) for tensor in tensors]
        labels = tf.convert_to_tensor(labels)
        target = tf.convert_to_tensor(target_probs, tf.float32)
        if not enqueue_many:
            tensor_list, labels = [tf.expand_dims(tensor, 0) for tensor in tensor_list], tf.expand_dims(labels, 0)
        target.shape.assert_is_fully_defined()
        classes = target.shape.num_elements()
        if init_probs is None:
            initial = _estimate_data_distribution(labels, classes)
        else:
            initial = tf.convert_to_tensor(init_probs, tf.float32)
        initial, target = _check_probabilities(initial), _check_probabilities(target)
        if initial.shape.num_elements() != classes:
            raise ValueError("Probability parameters must have the same length.")
        tensor_list, labels = _check_examples(tensor_list, labels, classes)
        acceptance = _acceptance_probabilities(initial, target)
        example = _dequeue_examples(tensor_list + [labels], threads_per_queue, queue_capacity)
        batch = _sample_batch(example, tf.gather(acceptance, example[-1]), batch_size, threads_per_queue)
        return batch[:-1], batch[-1]


def _dequeue_examples(tensors: List[Any], threads: int, capacity: int) -> List[Any]:
    """Returns the tensors of one example at a time, from a queue."""
    batch = tf.train.batch(tensors, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    batch = batch if isinstance(batch, (list, tuple)) else [batch]
    return [tf.squeeze(tensor, [0]) for tensor in batch]


def _sample_batch(tensors: List[Any], probability: Any, batch_size: int, threads: int) -> List[Any]:
    keep = tf.random_uniform([]) < probability
    batch = tf.train.maybe_batch(tensors, keep_input=keep, batch_size=batch_size, num_threads=threads)
    return list(batch) if isinstance(batch, (list, tuple)) else [batch]


def _estimate_data_distribution(labels: Any, classes: int) -> Any:
    """Returns the frequencies of the classes so far. Counts start at 10, so that no frequency is zero."""
    class_count = tf.Variable([10] * classes, trainable=False, name="class_count", dtype=tf.int64)
    counts = class_count.assign_add(tf.reduce_sum(tf.one_hot(labels, classes, dtype=tf.int64), 0))
    counts = counts + 0  # a copy: other threads update the variable
    return tf.cast(tf.truediv(counts, tf.reduce_sum(counts)), tf.float32)


def _check_probabilities(probabilities: Any) -> Any:
    probabilities.shape.assert_is_fully_defined()
    probabilities.shape.assert_has_rank(1)
    total = tf.reduce_sum(probabilities)
    checks = [
        tf.assert_non_negative(probabilities),
        tf.assert_less(total, 1.0 + _TOLERANCE),
        tf.assert_less(1.0 - _TOLERANCE, total),
    ]
    with tf.control_dependencies(checks):
        return tf.identity(probabilities)


def _check_examples(tensors: List[Any], labels: Any, classes: int) -> Tuple[List[Any], Any]:
    labels.shape.assert_has_rank(1)
    for tensor in tensors:
        tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(labels.shape)
    count = tf.shape(labels)[0]
    is_positive = tf.assert_positive(count)
    checked = []
    for tensor in tensors:
        with tf.control_dependencies([is_positive, tf.assert_equal(tf.shape(tensor)[0], count)]):
            checked.append(tf.identity(tensor))
    tf.assert_integer(labels)
    with tf.control_dependencies(
        [is_positive, tf.assert_non_negative(labels), tf.assert_less(labels, tf.cast(classes, labels.dtype))]
    ):
        return checked, tf.identity(labels)


def _acceptance_probabilities(initial: Any, target: Any) -> Any:
    """Returns the acceptance probability of each class [classes]; the highest one is 1."""
    is_possible = tf.reduce_all(tf.logical_or(tf.not_equal(initial, 0), tf.equal(target, 0)))
    message = "All classes with zero initial probability must also have zero target probability: "
    with tf.control_dependencies([tf.Assert(is_possible, [message, initial, target])]):
        initial = tf.identity(initial)
    ratio = target / initial
    ratio = tf.where(tf.is_nan(ratio), tf.zeros_like(ratio), ratio)
    accepted = ratio / tf.reduce_max(ratio)
    rejected = tf.reduce_sum((1 - accepted) * initial)
    return tf.cond(
        tf.less(rejected, 0.5),
        lambda: accepted,
        lambda: tf.Print(
            accepted, [accepted], message="Proportion of examples rejected by sampler is high.", first_n=10
        ),
    )
