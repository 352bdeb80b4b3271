"""Queues that keep some examples and leave others out."""
from typing import Any, Callable, List, Optional, Tuple

from legacy_towers.compat import tf

__all__ = ["rejection_sample", "stratified_sample"]

# Of how far sums of probabilities may be from 1.
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
    """Returns batches of examples, each of which was kept with a probability of its own.

    Args:
      tensors: of one example, or of many.
      accept_prob_fn: from the tensors of one example to its probability, a scalar.
      batch_size: examples of a batch.
      queue_threads: threads that fill the last queue.
      enqueue_many: whether `tensors` have a first dimension of examples.
      prebatch_capacity: of the queue that takes those apart.
      prebatch_threads: threads that fill it.
      runtime_checks: whether to check probabilities.
      name: of the variable scope.

    Raises:
      ValueError: examples are not of the same number.
    """
    with tf.variable_scope(name, "rejection_sample", tensors):
        given = [tf.convert_to_tensor(tensor) for tensor in tensors]
        if enqueue_many:
            for tensor in given:
                tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(given[0].shape[:1])
            given = _one_by_one(given, prebatch_threads, prebatch_capacity)
        probability = accept_prob_fn(given)
        if runtime_checks:
            checks = [tf.assert_less_equal(0.0, probability), tf.assert_less_equal(probability, 1.0)]
            with tf.control_dependencies(checks):
                probability = tf.identity(probability, name="prob_with_checks")
        return _kept(given, probability, batch_size, queue_threads)


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
    """Returns batches in which each class has its share; examples of too frequent classes are left out.

    Args:
      tensors: of one example, or of many.
      labels: int, the class of each.
      target_probs: [classes], the shares in a batch.
      batch_size: examples of a batch.
      init_probs: [classes], the shares in the data; None: estimated as they come.
      enqueue_many: whether `tensors` have a first dimension of examples.
      queue_capacity: of the queue of all examples.
      threads_per_queue: threads that fill each queue.
      name: of the operations.

    Returns:
      (tensors, labels) of the batch.

    Raises:
      ValueError: shapes don't go together.
    """
    with tf.name_scope(name, "stratified_sample", list(tensors) + [labels]):
        given = [tf.convert_to_tensor(tensor) for tensor in tensors]
        labels = tf.convert_to_tensor(labels)
        target = tf.convert_to_tensor(target_probs, tf.float32)
        if not enqueue_many:
            given, labels = [tf.expand_dims(tensor, 0) for tensor in given], tf.expand_dims(labels, 0)
        target.shape.assert_is_fully_defined()
        classes = target.shape.num_elements()
        initial = _estimated(labels, classes) if init_probs is None else tf.convert_to_tensor(init_probs, tf.float32)
        initial, target = _checked_shares(initial), _checked_shares(target)
        if initial.shape.num_elements() != classes:
            raise ValueError("Probability parameters must have the same length.")
        given, labels = _checked_examples(given, labels, classes)
        accepted = _accepted(initial, target)
        singles = _one_by_one(given + [labels], threads_per_queue, queue_capacity)
        batch = _kept(singles, tf.gather(accepted, singles[-1]), batch_size, threads_per_queue)
        return batch[:-1], batch[-1]


def _one_by_one(tensors: List[Any], threads: int, capacity: int) -> List[Any]:
    """Returns one example at a time, through a queue."""
    batch = tf.train.batch(tensors, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True)
    batch = batch if isinstance(batch, (list, tuple)) else [batch]
    return [tf.squeeze(tensor, [0]) for tensor in batch]


def _kept(tensors: List[Any], probability: Any, batch_size: int, threads: int) -> List[Any]:
    keep = tf.random_uniform([]) < probability
    batch = tf.train.maybe_batch(tensors, keep_input=keep, batch_size=batch_size, num_threads=threads)
    return list(batch) if isinstance(batch, (list, tuple)) else [batch]


def _estimated(labels: Any, classes: int) -> Any:
    """Returns the shares of classes seen so far; each counts as seen ten times before, so that none is zero."""
    seen = tf.Variable([10] * classes, trainable=False, name="class_count", dtype=tf.int64)
    counted = seen.assign_add(tf.reduce_sum(tf.one_hot(labels, classes, dtype=tf.int64), 0))
    counted = counted + 0  # a copy: other threads go on counting
    return tf.cast(tf.truediv(counted, tf.reduce_sum(counted)), tf.float32)


def _checked_shares(shares: Any) -> Any:
    shares.shape.assert_is_fully_defined()
    shares.shape.assert_has_rank(1)
    whole = tf.reduce_sum(shares)
    checks = [
        tf.assert_non_negative(shares),
        tf.assert_less(whole, 1.0 + _TOLERANCE),
        tf.assert_less(1.0 - _TOLERANCE, whole),
    ]
    with tf.control_dependencies(checks):
        return tf.identity(shares)


def _checked_examples(tensors: List[Any], labels: Any, classes: int) -> Tuple[List[Any], Any]:
    labels.shape.assert_has_rank(1)
    for tensor in tensors:
        tensor.shape.with_rank_at_least(1)[:1].assert_is_compatible_with(labels.shape)
    count = tf.shape(labels)[0]
    some = tf.assert_positive(count)
    checked = []
    for tensor in tensors:
        with tf.control_dependencies([some, tf.assert_equal(tf.shape(tensor)[0], count)]):
            checked.append(tf.identity(tensor))
    tf.assert_integer(labels)
    with tf.control_dependencies(
        [some, tf.assert_non_negative(labels), tf.assert_less(labels, tf.cast(classes, labels.dtype))]
    ):
        return checked, tf.identity(labels)


def _accepted(initial: Any, target: Any) -> Any:
    """Returns the probability with which an example of each class is kept: as high as the shares allow."""
    possible = tf.reduce_all(tf.logical_or(tf.not_equal(initial, 0), tf.equal(target, 0)))
    what = "All classes with zero initial probability must also have zero target probability: "
    with tf.control_dependencies([tf.Assert(possible, [what, initial, target])]):
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
