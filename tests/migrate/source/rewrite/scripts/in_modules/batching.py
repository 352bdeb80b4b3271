import tensorflow as tf


def shuffled(tensors, batch_size):
    """Returns shuffled batches of tensors."""
    return tf.train.shuffle_batch(tensors, batch_size, capacity=40, min_after_dequeue=10)
