"""Converts the queues of a TensorFlow 1 graph to tf.data.

    images, labels = tf.train.shuffle_batch(...)
    loss = model(images, labels)
    print(lt.migrate.convert())
    with tf.Session() as session:
        ...
"""
from legacy_towers.migrate.convert import Conversion, convert
from legacy_towers.migrate.plans import PipelinePlan

__all__ = ["Conversion", "PipelinePlan", "convert"]
