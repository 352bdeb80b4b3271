"""Regularization losses in the graphs of scripts are tensors, as in TensorFlow 1.x."""
import numpy as np
from run.runtime.prepared import script

from legacy_towers.compat import tf as real


def l2(weights):
    return 0.5 * real.nn.l2_loss(weights)


def regularized(tf, name):
    return tf.get_variable(name, [2, 2], initializer=tf.ones_initializer(), regularizer=l2)


def test_regularization_losses_are_tensors():
    with script() as (tf, _), tf.Graph().as_default() as graph:
        with tf.variable_scope("layer"):
            regularized(tf, "weights")
        (loss,) = tf.losses.get_regularization_losses()
        assert isinstance(loss, tf.Tensor)
        assert loss.name.startswith("layer/weights/Regularizer/")
        assert graph.as_graph_element(loss) is loss
        averages = tf.train.ExponentialMovingAverage(0.75, name="average")
        averaged = averages.apply([loss])
        with tf.control_dependencies([loss]):
            after = tf.identity(averages.average(loss))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(tf.group(averaged, loss))
            # The loss is 0.5 * l2_loss(ones([2, 2])) = 1; its moving average starts at 0.
            assert np.isclose(session.run(after), 0.25)
            assert session.run(loss + 1.0, {loss: 3.0}) == 4.0


def test_the_regularization_loss_of_a_variable_in_a_branch_is_outside_the_branch():
    with script() as (tf, _), tf.Graph().as_default():
        value = tf.cond(
            tf.placeholder_with_default(True, []), lambda: tf.reduce_sum(regularized(tf, "weights")), lambda: 0.0
        )
        (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run([value + loss, loss]) == [5.0, 1.0]
