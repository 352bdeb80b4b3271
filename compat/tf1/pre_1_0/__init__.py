"""Names and argument orders from before TensorFlow 1.0.

Operators have the semantics of 1.x: tf.div and tf.mod of integers round down, as in Python, where 0.12 rounded towards
zero. Results differ for negative integers only.
"""
