"""`with slim.queues.QueueRunners(session):`, before and after."""
import pytest

CASES = [
    pytest.param(
        """
    batch = numbers()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        with tf.contrib.slim.queues.QueueRunners(sess):
            # Both batches.
            for step in range(2):
                print(sess.run(batch))
        """,
        """
    batch = numbers()
    with tf.Session() as sess:
        # Both batches.
        for step in range(2):
            print(sess.run(batch))
        """,
        id="alone",
    ),
    pytest.param(
        """
    slim = tf.contrib.slim
    batch = numbers(epochs=None)
    with tf.Session() as sess, slim.queues.QueueRunners(sess):
        print(sess.run(batch))
        """,
        """
    slim = tf.contrib.slim
    batch = numbers(epochs=None)
    with tf.Session() as sess:
        print(sess.run(batch))
        """,
        id="beside another",
    ),
]


@pytest.mark.parametrize("before, after", CASES)
def test_the_body_of_queue_runners_stays(check, before, after):
    check(before.rstrip() + "\n", after.rstrip() + "\n")
