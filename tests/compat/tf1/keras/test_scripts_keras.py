"""tf.keras of the view: Keras 2, or an error for names that build models if only Keras 3 is installed."""
import numpy as np
import processes
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.keras import symbols
from legacy_towers.compat.versions import supported

USES = {
    "tf.keras": "tf.keras.layers.Dense(1)",
    "class": "tf.keras.Model",
    "tf.contrib.keras": "tf.contrib.keras.models.Sequential",
    "private module": "importlib.import_module('legacy_towers.compat.tf1.importable.tensorflow.python.keras.layers')",
    "import": "importlib.import_module('legacy_towers.compat.tf1.importable.tensorflow.keras.layers')",
}


@pytest.mark.needs_layers
@pytest.mark.parametrize("name", symbols.BUILDERS)
def test_builders_are_those_of_tf_keras(name):
    found, expected = getattr(tree.module("tensorflow.keras"), name), getattr(tf.keras, name)
    for each in ("Dense", "Model"):
        if hasattr(expected, each):
            found, expected = getattr(found, each), getattr(expected, each)
            break
    assert found is expected or (name == "Sequential" and issubclass(found, expected))


@pytest.mark.needs_layers
@pytest.mark.parametrize("module", ["tensorflow.keras", "tensorflow.keras.models"])
def test_sequential_accepts_inputs_of_any_rank_that_its_layers_accept(module):
    layers = tree.module("tensorflow.keras").layers
    shaped = [layers.Reshape((28, 28, 1), input_shape=(784,)), layers.Flatten(), layers.Dense(2)]
    sequential = tree.module(module).Sequential
    model, by_one = sequential(shaped), sequential()
    by_one.add(layers.Dense(3, input_dim=16))
    pictures, states = np.random.RandomState(1).rand(5, 28, 28), np.random.RandomState(2).rand(4, 1, 16)
    found = [model(tf.constant(pictures, tf.float32)), by_one(tf.constant(states, tf.float32))]
    assert (model.name, by_one.name) == ("sequential", "sequential_1")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        of_pictures, of_states = session.run(found)
        kernel, other = session.run([model.weights[0], by_one.weights[0]])
    np.testing.assert_allclose(of_pictures, pictures.reshape(5, 784) @ kernel, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(of_states, states @ other, rtol=1e-4, atol=1e-5)


COPIES = {
    "clone_model": lambda models, model, path: models.clone_model(model),
    "from_config": lambda models, model, path: type(model).from_config(model.get_config()),
    "model_from_json": lambda models, model, path: models.model_from_json(model.to_json()),
    "load_model": lambda models, model, path: model.save(path) or models.load_model(path),
}


@pytest.mark.needs_layers
@pytest.mark.parametrize("inside", [False, True], ids=["itself", "within a model"])
@pytest.mark.parametrize("copy", COPIES)
def test_a_loaded_or_cloned_sequential_accepts_inputs_of_any_rank(copy, inside, tmp_path):
    keras = tree.module("tensorflow.keras")
    shaped = [keras.layers.Reshape((4, 4, 1), input_shape=(16,)), keras.layers.Flatten(), keras.layers.Dense(2)]
    model = keras.Sequential(shaped)
    if inside:
        inputs = keras.layers.Input((16,))
        model = keras.Model(inputs, model(inputs))
    again = COPIES[copy](keras.models, model, str(tmp_path / "model.h5"))
    again = again.layers[1] if inside else again
    assert again.__class__.__name__ == "Sequential"
    assert again(tf.zeros([3, 4, 4])).shape.as_list() == [3, 2]


@pytest.mark.slow
def test_keras_3_is_an_error_for_names_that_build_models():
    version = supported.parse(tf.__version__)
    if version.pair < supported.FIRST_WITH_KERAS_3:
        pytest.skip("the tf.keras of TensorFlow {} is Keras 2".format(tf.__version__))
    program = "import importlib\nfrom legacy_towers.compat.tf1 import tree\ntf = tree.module('tensorflow')\n"
    program += "print(tf.keras.utils.to_categorical([1], 2).tolist())\n"
    for use in USES.values():
        program += "try:\n    {}\nexcept ImportError as error:\n    print(error)\n".format(use)
    sentence = "the tf.keras of TensorFlow 1.x is not Keras 3, and needs the package tf_keras beside TensorFlow {}: "
    printed = processes.output_of(program, blocked=["tf_keras"]).splitlines()
    expected = ["[[0.0, 1.0]]"] + [sentence.format(supported.dotted(version.pair))] * len(USES)
    assert [line.split("pip install")[0] for line in printed] == expected
