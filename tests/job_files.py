"""Small job files for the tests of the command line and of training."""
import textwrap

import numpy as np

# A line through 1,000 points. The options select different features of a run.
LINE = '''
    """A line through points."""
    import warnings
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def points():
        random = np.random.RandomState(0)
        x = random.randn(1000, 3).astype(np.float32)
        return {"x": x, "y": x.dot(np.float32([1, 2, 3])), "id": np.arange(1000)}

    def model_fn(batch, mode):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        tf.summary.scalar("length", tf.norm(w))
        guess = tf.matmul(batch["x"], w)[:, 0]
        if mode == lt.PREDICT:
            return lt.TowerOutput(predictions={"id": batch["id"], "guess": guess})
        error = tf.square(guess - batch["y"])
        return lt.TowerOutput(loss=tf.reduce_mean(error), metrics={"error": error})

    @lt.job
    def line(rate=0.1, average=0.0, bare=False, says=""):
        """Fits a line."""
        if says:
            warnings.warn(says)
        return lt.Job(
            model_fn,
            train=lt.Examples.from_arrays(points(), seed=0),
            test=None if bare else lt.Examples.from_arrays(points()),
            optimizer=lambda step: tf.train.GradientDescentOptimizer(rate),
            moving_average_decay=average or None,
        )
'''


def points():
    """Returns the examples of `LINE`."""
    x = np.random.RandomState(0).randn(1000, 3).astype(np.float32)
    return x, x.dot(np.float32([1, 2, 3]))


def write(folder, name, source):
    """Writes a job file and returns its path as text."""
    path = folder / name
    path.write_text(textwrap.dedent(source))
    return str(path)
