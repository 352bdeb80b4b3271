"""Methods and positional arguments of layers, and options of tf.data, that TensorFlow 1.15 has, in a running script."""
import sys

import numpy as np
import pytest

from legacy_towers.compat import tf as installed
from legacy_towers.compat.patches import dataset_options
from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.compat.tf1.keras import scripts_keras

IS_1_15 = tree.is_1_15()


@pytest.fixture
def tf(tmp_path):
    """Yields the API of a running script."""
    if not IS_1_15 and sys.version_info >= (3, 12):
        pytest.importorskip("tf_keras")
    run = user_script.ScriptRun("script.py", str(tmp_path))
    user_script.begin(run)
    if not IS_1_15:
        scripts_keras.patch_models()
    try:
        yield tree.module("tensorflow")
    finally:
        run.lasting.close()
        user_script.end()


def custom(base, tf):
    class Counted(base):
        def build(self, shape):
            self.count = self.add_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
            self.built = True

        def call(self, x):
            self.add_update([tf.assign(self.count, self.count + 1)], inputs=x)
            self.add_update(tf.assign(self.count, self.count + 1), True)
            return x * 2

    return Counted()


def updates_of(layer, tf):
    x = tf.placeholder(tf.float32, [None, 4])
    doubled = layer.apply(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([doubled, layer.updates], {x: np.ones([1, 4])})[0].tolist(), len(layer.updates)


@pytest.mark.needs_layers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", ["keras.layers", "layers"])
def test_layers_have_apply_and_add_update_with_inputs(module, tf):
    base = tf.keras.layers.Layer if module == "keras.layers" else tf.layers.Layer
    assert updates_of(custom(base, tf), tf) == ([[2.0] * 4], 2)


POSITIONAL = {
    "Conv1D": (lambda layers: layers.Conv1D(2, 3, 1, "same", "channels_last", 1, "relu"), "activation"),
    "Conv2D": (lambda layers: layers.Conv2D(2, 3, 1, "same", None, 1, "relu"), "activation"),
    "Conv2D by name": (lambda layers: layers.Conv2D(2, 3, activation="relu"), "activation"),
    "DepthwiseConv2D": (lambda layers: layers.DepthwiseConv2D(3, 1, "same", 1, None, "relu"), "activation"),
}


@pytest.mark.needs_layers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make, argument", list(POSITIONAL.values()), ids=list(POSITIONAL))
def test_positional_arguments_are_those_of_1_15(make, argument, tf):
    assert getattr(make(tf.keras.layers), argument).__name__ == "relu"


@pytest.mark.needs_layers
@pytest.mark.filterwarnings("ignore")
def test_a_sequential_model_predicts_classes(tf):
    ones = tf.keras.initializers.Ones()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer=ones)])
    model.compile("sgd", "mse")
    x = np.array([[0.1, 0.1], [1.0, 1.0]])
    assert model.predict_classes(x).tolist() == [[0], [1]]
    np.testing.assert_allclose(model.predict_proba(x), [[0.2], [2.0]], rtol=1e-6)


@pytest.mark.needs_layers
@pytest.mark.filterwarnings("ignore")
def test_tf_layers_has_the_input_of_1_4(tf):
    x = tf.layers.Input([4], name="x")
    assert x.shape.as_list() == [None, 4] and x.dtype == tf.float32
    assert tf.layers.dense(x, 3).shape.as_list() == [None, 3]


OPTIONS = {
    "experimental_optimization": ["autotune", "autotune_buffers", "hoist_random_uniform", "map_and_batch_fusion"],
    "experimental_distribute": ["auto_shard"],
}


@pytest.mark.filterwarnings("ignore")
def test_options_of_datasets_that_tensorflow_dropped_may_be_set():
    reported = []
    with dataset_options.options_of_1_15_allowed(lambda *words: reported.append(words)):
        options = installed.data.Options()
        for group, names in OPTIONS.items():
            for name in names:
                setattr(getattr(options, group), name, True)
        options.experimental_optimization.map_vectorization.enabled = True
        options.experimental_stateful_whitelist = ["RandomUniform"]
        assert options.experimental_optimization.autotune is True and options.experimental_distribute.auto_shard is True
        options.experimental_distribute.auto_shard = False
        assert options.experimental_distribute.auto_shard is False
        element = installed.data.Dataset.range(3).with_options(options).make_one_shot_iterator().get_next()
        with installed.Session() as session:
            assert [session.run(element) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(AttributeError, match="no_such_option"):
            options.no_such_option = 1
    if not IS_1_15:
        assert ("autotune of tf.data.Options", "no effect in TensorFlow 2, the values are the same") in reported
        assert not hasattr(installed.data.Options().experimental_distribute, "auto_shard")
