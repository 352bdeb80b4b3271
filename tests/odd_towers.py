"""Towers with gradients of unusual shapes and mixed dtypes, dense, sparse and None, and their mean in numpy."""
import numpy as np

from legacy_towers.compat import tf
from legacy_towers.gradients import ReductionContext, reduce_gradients
from legacy_towers.gradients.reduce import prepare

# The bounds for towers compared with one device, relative to a variable's largest gradient.
BOUNDS = {np.float32: 1e-5, np.float64: 1e-12}


class OddTowers:
    """Gradients of a dozen variables, by towers on CPUs.

    Attributes:
      variables: the variables of the gradients; "sparse" has IndexedSlices, "idle" no gradient.
      values: per tower, name -> array; for "sparse" (rows, indices).
      tower_grads: (gradient, variable) pairs per tower. Those whose name ends with "?" are of unknown shape.
    """

    SHAPES = {
        "scalar": (),
        "matrix": (3, 5),
        "idle": (2,),
        "empty": (0, 3),
        "cube": (2, 1, 3),
        "double": (7,),
        "matrix?": (4, 3),
        "double scalar": (),
        "sparse": (6, 2),
        "long": (200,),
        "scalar?": (),
        "empty?": (2, 0),
        "double?": (5,),
    }

    def __init__(self, devices, copied=False, homes=("/cpu:0",), scale=1.0):
        self.devices, self.copied = list(devices), copied
        rng = np.random.RandomState(len(self.devices))
        self.variables = {}
        for number, (name, shape) in enumerate(self.SHAPES.items()):
            dtype = np.float64 if name.startswith("double") else np.float32
            with tf.device(homes[number % len(homes)]):
                self.variables[name] = tf.get_variable(
                    name.replace("?", "_unknown").replace(" ", "_"),
                    shape,
                    dtype,
                    tf.zeros_initializer(),
                    use_resource=True,
                )
        self.values, self.tower_grads, self.feed = [], [], {}
        for device in self.devices:
            values, pairs = {}, []
            for name, variable in self.variables.items():
                shape, dtype = self.SHAPES[name], variable.dtype.as_numpy_dtype
                with tf.device(device):
                    if name == "idle":
                        gradient = None
                    elif name == "sparse":
                        rows, indices = scale * rng.normal(size=(4, 2)).astype(dtype), rng.randint(6, size=4)
                        values[name] = (rows, indices)
                        gradient = tf.IndexedSlices(
                            self._fed(rows, [None, 2]), self._fed(indices, [None]), tf.constant(shape)
                        )
                    else:
                        values[name] = (scale * rng.normal(size=shape)).astype(dtype)
                        gradient = self._fed(values[name], None if name.endswith("?") else shape)
                pairs.append((gradient, _Shapeless(variable) if name.endswith("?") else variable))
            self.values.append(values)
            self.tower_grads.append(pairs)

    def _fed(self, value, shape):
        placeholder = tf.placeholder(value.dtype, shape)
        self.feed[placeholder] = value
        return placeholder

    def reduce(self, reduction, weights=None):
        """Returns the reduced gradients of the towers; towers may have copies of the variables."""
        if not self.copied:
            return reduce_gradients(self.tower_grads, reduction, self.devices, weights)
        context = ReductionContext(self.devices, list(range(len(self.devices))), has_copies=True)
        return prepare(reduction, context, list(self.variables.values())).reduce(self.tower_grads)

    def combined(self, tower_weights=None):
        """Returns name -> the sum of the towers' gradients times their weights, dense, in float64."""
        tower_weights = [1.0 / len(self.devices)] * len(self.devices) if tower_weights is None else tower_weights
        combined = {}
        for name, shape in self.SHAPES.items():
            if name == "idle":
                continue
            combined[name] = np.zeros(shape)
            for weight, values in zip(tower_weights, self.values):
                if weight == 0:
                    continue
                if name == "sparse":
                    np.add.at(combined[name], values[name][1], weight * values[name][0].astype(np.float64))
                else:
                    combined[name] = combined[name] + weight * values[name].astype(np.float64)
        return combined

    def largest(self, name):
        """Returns the largest absolute value in any tower's gradient; 0 of an empty one."""
        arrays = [values[name][0] if name == "sparse" else values[name] for values in self.values]
        return max(float(np.abs(array).max()) if array.size else 0.0 for array in arrays)

    def run(self, reduced, more=None):
        """Returns name -> a row's results as dense arrays; checks kinds, dtypes, and that None stays None."""
        fetches = {}
        assert reduced.reduced and len(reduced.rows) == len(self.SHAPES)
        for name, row in zip(self.SHAPES, reduced.rows):
            if name == "idle":
                assert all(gradient is None for gradient in row.gradients)
                continue
            for gradient in row.gradients:
                assert isinstance(gradient, tf.IndexedSlices) == (name == "sparse"), name
                assert gradient.dtype == self.variables[name].dtype.base_dtype, name
            fetches[name] = [tf.convert_to_tensor(gradient) for gradient in row.gradients]
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
            return session.run(fetches, {**self.feed, **(more or {})})


class _Shapeless:
    """A variable of unknown shape, as created with validate_shape=False."""

    def __init__(self, variable):
        self._variable = variable
        self.shape = tf.TensorShape(None)

    def __getattr__(self, name):
        return getattr(self._variable, name)


def assert_equal(found, expected, bound=None, largest=None):
    """Asserts that each result is within `bound` (of its dtype, if None) times the largest expected value."""
    assert set(found) == set(expected)
    for name, results in found.items():
        for result in results:
            assert result.shape == expected[name].shape, name
            if not result.size:
                continue
            top = np.abs(expected[name]).max() if largest is None else largest(name)
            limit = BOUNDS[result.dtype.type] if bound is None else bound
            assert np.abs(result - expected[name]).max() <= limit * top, name
