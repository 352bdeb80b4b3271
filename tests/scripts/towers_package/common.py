import functools

import tensorflow as tf


def scoped(name):
    """Creates the variables in the first call and reuses them in later ones."""
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
                return function(*args, **kwargs)
        return wrapper
    return decorate


def average(tower_grads):
    return [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), axis=0), pairs[0][1]) for pairs in zip(*tower_grads)]
