"""Loops and conditions that ask a coordinator, before and after."""
import pytest

START = """
    batch = numbers()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
"""
STARTED = """
    batch = numbers()
    with tf.Session() as sess:
"""
END = """
        coord.request_stop()
        coord.join(threads)
"""
CASES = [
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        """,
        id="while not",
    ),
    pytest.param(
        """
        step = 0
        while step < 2 and not coord.should_stop():
            print(step, sess.run(batch))
            step += 1
        """,
        """
        step = 0
        while step < 2:
            print(step, sess.run(batch))
            step += 1
        """,
        id="and before",
    ),
    pytest.param(
        """
        step = 0
        while not coord.should_stop() and (step < 1 or step == 1):
            print(step, sess.run(batch))
            step += 1
        """,
        """
        step = 0
        while (step < 1 or step == 1):
            print(step, sess.run(batch))
            step += 1
        """,
        id="and after",
    ),
    pytest.param(
        """
        step = 0
        while(not coord.should_stop() and step < 2):  # two batches
            step += 1
            print(sess.run(batch))
        """,
        """
        step = 0
        while step < 2:  # two batches
            step += 1
            print(sess.run(batch))
        """,
        id="in parentheses",
    ),
    pytest.param(
        """
        step = 0
        while not (coord.should_stop() or step == 2 or step > 3):
            step += 1
            print(sess.run(batch))
        """,
        """
        step = 0
        while not (step == 2 or step > 3):
            step += 1
            print(sess.run(batch))
        """,
        id="not or",
    ),
    pytest.param(
        """
        step = 0
        while coord.should_stop() == False and step < 2:
            step += 1
            print(sess.run(batch))
        """,
        """
        step = 0
        while step < 2:
            step += 1
            print(sess.run(batch))
        """,
        id="== False",
    ),
    pytest.param(
        """
        for step in range(2):
            # The first ones.
            if coord.should_stop():
                break
            print(sess.run(batch))
        """,
        """
        for step in range(2):
            # The first ones.
            print(sess.run(batch))
        """,
        id="if break",
    ),
    pytest.param(
        """
        for step in range(2):
            if coord.should_stop(): break
            print(sess.run(batch))
        """,
        """
        for step in range(2):
            print(sess.run(batch))
        """,
        id="if break on one line",
    ),
    pytest.param(
        """
        for step in range(2):
            if not coord.should_stop():
                print(sess.run(batch))  # a batch
                print(step)
        """,
        """
        for step in range(2):
            print(sess.run(batch))  # a batch
            print(step)
        """,
        id="if not",
    ),
    pytest.param(
        """
        for step in range(2):
            if coord.should_stop():
                print("stop")
            else:
                print(sess.run(batch))
        """,
        """
        for step in range(2):
            print(sess.run(batch))
        """,
        id="if else",
    ),
    pytest.param(
        """
        for step in range(2):
            if step == 5:
                print("five")
            elif coord.should_stop():
                break
            elif step == 1:
                print("one")
            print(sess.run(batch))
        """,
        """
        for step in range(2):
            if step == 5:
                print("five")
            elif step == 1:
                print("one")
            print(sess.run(batch))
        """,
        id="elif",
    ),
    pytest.param(
        """
        for step in range(3):
            if step == 2 or coord.should_stop():
                break
            print(sess.run(batch))
        """,
        """
        for step in range(3):
            if step == 2:
                break
            print(sess.run(batch))
        """,
        id="or",
    ),
]


def script(start, body, end=""):
    return start.rstrip() + "\n" + body.strip("\n").rstrip() + "\n" + end.strip("\n").rstrip() + ("\n" if end else "")


@pytest.mark.parametrize("before, after", CASES)
def test_conditions_without_coordinator(check, before, after):
    check(script(START, before, END), script(STARTED, after))


UNCHANGED = [
    pytest.param("""
        asked = coord.should_stop()
        print(asked, sess.run(batch))
        """, id="its value is kept"),
    pytest.param("""
        while not coord.should_stop() and print(sess.run(batch)) is None and coord.should_stop():
            print("never")
        """, id="contradiction"),
    pytest.param("""
        step = 0
        while not coord.should_stop():
            print(sess.run(batch))
            step += 1
            if step == 2:
                coord.request_stop()
            print("after", step)
        """, id="a stop before the end of the loop"),
    pytest.param("""
        for step in range(4):
            if coord.should_stop():
                break
            print(sess.run(batch))
            if step == 1:
                coord.request_stop()
        print(step)
        """, id="a stop before the next of a for"),
    pytest.param("""
        def stops():
            return coord.should_stop()
        step = 0
        while step < 2 and not stops():
            print(sess.run(batch))
            step += 1
        """, id="in another function"),
    pytest.param("""
        coord.request_stop()
        while not coord.should_stop():
            print("never")
        print("stopped")
        """, id="a stop before it"),
]


@pytest.mark.parametrize("body", UNCHANGED)
def test_a_coordinator_that_decides_something_stays(check, body):
    kept = STARTED.rstrip() + "\n        coord = tf.train.Coordinator()"
    after = script(kept, body, END).replace("coord.join(threads)", "coord.join()")
    check(script(START, body, END), after)
