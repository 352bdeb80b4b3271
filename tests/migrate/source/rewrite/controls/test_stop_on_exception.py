"""`with coord.stop_on_exception():`, before and after."""
import pytest

BEFORE = """
    batch = {}()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        with coord.stop_on_exception():
            while not coord.should_stop():
                print(sess.run(batch))  # a batch
        coord.request_stop()
        coord.join(threads)
        print("end")
"""
AFTER = """
    batch = {}()
    with tf.Session() as sess:
        try:
            while True:
                print(sess.run(batch))  # a batch
        except tf.errors.OutOfRangeError:
            pass
        print("end")
"""


@pytest.mark.parametrize("inputs, last", [("numbers", "end"), ("broken", "ends with InvalidArgumentError")])
def test_stop_on_exception_ends_at_the_end_of_the_data(check, inputs, last):
    outputs = check(BEFORE.format(inputs), AFTER.format(inputs), same=inputs == "numbers")
    assert [each.splitlines()[-1] for each in outputs] == [last, last]


@pytest.mark.parametrize("end", [
    pytest.param("""
        with open("/dev/null") as file:
            print(file.read(), "before join")
        coord.join()
    """, id="join is not next"),
    pytest.param("""
        print("no join")
    """, id="no join"),
    pytest.param("""
        print(coord.should_stop())
        coord.join()
    """, id="asked after it"),
])
def test_stop_on_exception_stays_where_errors_are_kept(check, end):
    before = BEFORE.format("numbers").replace("""
        coord.request_stop()
        coord.join(threads)
        print("end")
""", end.rstrip() + "\n")
    after = before.replace("        sess.run(tf.local_variables_initializer())\n", "").replace(
        "        threads = tf.train.start_queue_runners(sess=sess, coord=coord)\n", "")
    check(before, after)
