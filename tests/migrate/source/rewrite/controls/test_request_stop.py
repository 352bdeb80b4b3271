"""Requests to stop, before and after: ends of loops, `finally`, and errors that are reported."""
import pytest

START = """
    batch = {}()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
"""
STARTED = """
    batch = {}()
    with tf.Session() as sess:
"""
ENDS = [
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        finally:
            # When done, ask the threads to stop.
            coord.request_stop()
        coord.join(threads)
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        """,
        id="finally, join after it",
    ),
    pytest.param(
        """
        try:
            for step in range(2):
                print(sess.run(batch))
        finally:
            coord.request_stop()
            coord.join(threads)
        print("end")
        """,
        """
        for step in range(2):
            print(sess.run(batch))
        print("end")
        """,
        id="a try without except",
    ),
    pytest.param(
        """
        try:
            # Each batch.
            for step in range(2):
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        finally:
            print("finally")
            coord.request_stop()
            coord.join(threads)
        """,
        """
        try:
            # Each batch.
            for step in range(2):
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end")
        finally:
            print("finally")
        """,
        id="a finally that does more",
    ),
    pytest.param(
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass
        """,
        id="in the handler",
    ),
    pytest.param(
        """
        try:
            while True: print(sess.run(batch))
        except tf.errors.OutOfRangeError: print("end")
        finally: coord.request_stop(); coord.join(threads)
        """,
        """
        try:
            while True: print(sess.run(batch))
        except tf.errors.OutOfRangeError: print("end")
        """,
        id="on one line",
    ),
    pytest.param(
        """
        step = 0
        while not coord.should_stop():
            print(sess.run(batch))
            step += 1
            if step == 1:
                print("enough")
                coord.request_stop()
        coord.join(threads)
        """,
        """
        step = 0
        while True:
            print(sess.run(batch))
            step += 1
            if step == 1:
                print("enough")
                break
        """,
        id="ends a loop",
    ),
    pytest.param(
        """
        while not coord.should_stop():
            try:
                print(sess.run(batch))
            except tf.errors.OutOfRangeError:
                coord.request_stop()
                print("end")
        coord.join(threads)
        """,
        """
        while True:
            try:
                print(sess.run(batch))
            except tf.errors.OutOfRangeError:
                print("end")
                break
        """,
        id="ends a loop from a handler, before other statements",
    ),
    pytest.param(
        """
        step = 0
        while not coord.should_stop():
            if step == 1:
                print("enough")
                coord.request_stop()
            else:
                print(sess.run(batch))
                step += 1
        coord.join(threads)
        """,
        """
        step = 0
        while True:
            if step == 1:
                print("enough")
                break
            else:
                print(sess.run(batch))
                step += 1
        """,
        id="ends a loop from a branch",
    ),
    pytest.param(
        """
        step = 0
        while not coord.should_stop():
            print(sess.run(batch))
            step += 1
            if step > 1:
                coord.request_stop()
                coord.join(threads)
                break
        """,
        """
        step = 0
        while True:
            print(sess.run(batch))
            step += 1
            if step > 1:
                break
        """,
        id="before break",
    ),
    pytest.param(
        """
        def evaluate(steps):
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            for step in range(steps):
                if coord.should_stop():
                    break
                print(sess.run(batch))
            coord.request_stop()
        for steps in (1, 1):
            evaluate(steps)
        coord.request_stop()
        """,
        """
        def evaluate(steps):
            for step in range(steps):
                print(sess.run(batch))
        for steps in (1, 1):
            evaluate(steps)
        """,
        id="one coordinator in each call of a function",
    ),
    pytest.param(
        """
        for repeat in range(2):
            inner = tf.train.Coordinator()
            more = tf.train.start_queue_runners(sess=sess, coord=inner)
            while not inner.should_stop():
                print(sess.run(batch))
                break
            inner.request_stop()
        coord.request_stop()
        """,
        """
        for repeat in range(2):
            while True:
                print(sess.run(batch))
                break
        """,
        id="one coordinator in each pass of a loop",
    ),
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except Exception as e:
            coord.request_stop(e)
        coord.request_stop()
        print("stops")
        coord.join(threads, stop_grace_period_secs=10)
        print("end")
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass
        print("stops")
        print("end")
        """,
        id="an error is reported",
    ),
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except Exception as error:
            print("Exception")
            coord.request_stop(error)
        finally:
            coord.request_stop()
            coord.join(threads)
        print("end")
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except Exception as error:
            print("Exception")
            if not isinstance(error, tf.errors.OutOfRangeError):
                raise
        print("end")
        """,
        id="an error is printed and reported",
    ),
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end of data")
        except Exception as e:
            coord.request_stop(e)
        finally:
            coord.request_stop()
        coord.join(threads)
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end of data")
        """,
        id="the end of the data is caught before",
    ),
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except tf.errors.OutOfRangeError as e:
            print("end of data")
            coord.request_stop(e)
        finally:
            coord.request_stop()
        coord.join(threads)
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            print("end of data")
        """,
        id="the end of the data is reported",
    ),
    pytest.param(
        """
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except:
            print("any")
            coord.request_stop()
        coord.join(threads)
        """,
        """
        try:
            while True:
                print(sess.run(batch))
        except:
            print("any")
        """,
        id="all errors end it",
    ),
]


def script(start, body, inputs):
    return start.format(inputs).rstrip() + "\n" + body.strip("\n").rstrip() + "\n"


@pytest.mark.parametrize("before, after", ENDS)
def test_requests_to_stop(check, before, after):
    check(script(START, before, "numbers"), script(STARTED, after, "numbers"))


# What a thread of a queue raises, join raised after the end of the data was printed; session.run raises it now.
@pytest.mark.parametrize("before, after", [each for each in ENDS if "Exception" in each.values[0]])
def test_errors_of_the_input_pipeline_end_the_script(check, before, after):
    outputs = check(script(START, before, "broken"), script(STARTED, after, "broken"), same=False)
    assert [each.splitlines()[-1] for each in outputs] == ["ends with InvalidArgumentError"] * 2


KEPT = [
    pytest.param("""
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except Exception as e:
            coord.request_stop(e)
        print("no join")
        """, id="an error that no join raises"),
    pytest.param("""
        try:
            while not coord.should_stop():
                print(sess.run(batch))
        except Exception as e:
            coord.request_stop(e)
        with open("/dev/null") as file:
            print(file.read(), "before join")
        coord.join()
        """, id="an error that join raises later"),
    pytest.param("""
        try:
            print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            coord.request_stop(ValueError("mine"))
        coord.request_stop()
        coord.join()
        """, id="another error"),
    pytest.param("""
        while not coord.should_stop():
            try:
                print(sess.run(batch))
            finally:
                coord.request_stop()
        coord.join()
        """, id="a finally inside of the loop"),
    pytest.param("""
        for epoch in range(2):
            while not coord.should_stop():
                print(sess.run(batch))
                coord.request_stop()
            print(epoch)
        coord.join()
        """, id="a stop that ends two loops"),
    pytest.param("""
        while not coord.should_stop():
            print(sess.run(batch))
            coord.request_stop()
        if coord.should_stop():
            print("stopped")
        """, id="asked after the loop"),
]


@pytest.mark.parametrize("body", KEPT)
def test_a_coordinator_whose_stop_means_more_stays(check, body):
    kept = STARTED.rstrip() + "\n        coord = tf.train.Coordinator()"
    check(script(START, body, "numbers"), script(kept, body, "numbers"))
