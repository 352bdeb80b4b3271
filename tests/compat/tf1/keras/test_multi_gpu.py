"""tf.keras.utils.multi_gpu_model: split batches, concatenated outputs and shared variables, compared with numpy."""
import numpy as np
import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree

MODULES = {
    "tf.keras.utils": "tensorflow.keras.utils",
    "tf.python.keras.utils": "tensorflow.python.keras.utils",
    "multi_gpu_utils": "tensorflow.python.keras.utils.multi_gpu_utils",
}
pytestmark = pytest.mark.needs_layers


@pytest.fixture
def with_gpus(monkeypatch):
    """Simulates two GPUs; Keras's sessions have soft placement."""
    from legacy_towers.compat.tf1.keras import multi_gpu

    monkeypatch.setattr(multi_gpu, "_gpu_count", lambda: 2)


def _split(*arguments, **options):
    return tree.module("tensorflow.keras.utils").multi_gpu_model(*arguments, **options)


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_modules_have_multi_gpu_model(module):
    assert tree.module(module).multi_gpu_model.__name__ == "multi_gpu_model"


@pytest.mark.parametrize("options", [{"gpus": 2}, {"gpus": [1, 0]}, {"gpus": (0, 1), "cpu_merge": False}], ids=str)
def test_a_batch_is_split_over_the_gpus_and_trained_as_one(with_gpus, options):
    keras = tree.module("tensorflow.keras")
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), name="answer", use_bias=False)])
    parallel = _split(model, **options)
    assert [each.name for each in parallel.weights] == [each.name for each in model.weights] == ["answer/kernel:0"]
    assert parallel.output_names == ["answer"]
    products = [each.device[-5:] for each in tf.get_default_graph().get_operations() if each.type == "MatMul"]
    assert products[-2:] == (["GPU:1", "GPU:0"] if options["gpus"] == [1, 0] else ["GPU:0", "GPU:1"])
    examples, answers = np.random.RandomState(1).rand(5, 3), np.arange(5.0)[:, None]
    kernel = model.get_weights()[0]
    np.testing.assert_allclose(parallel.predict(examples), examples @ kernel, rtol=1e-5, atol=1e-6)
    parallel.compile(optimizer=tf.train.GradientDescentOptimizer(0.1), loss="mse")
    parallel.train_on_batch(examples, answers)
    slope = 2 * examples.T @ (examples @ kernel - answers) / 5
    np.testing.assert_allclose(model.get_weights()[0], kernel - 0.1 * slope, rtol=1e-5, atol=1e-6)


def test_several_inputs_and_outputs_keep_their_order(with_gpus):
    keras = tree.module("tensorflow.keras")
    first, second = keras.Input((2,), name="first"), keras.Input((2,), name="second")
    sums = keras.layers.Add(name="sums")([first, second])
    parallel = _split(keras.Model([first, second], [sums, keras.layers.Flatten(name="flat")(first)]), 2)
    assert parallel.output_names == ["sums", "flat"]
    of_first, of_second = np.random.RandomState(2).rand(2, 3, 2)
    added, flat = parallel.predict([of_first, of_second])
    np.testing.assert_allclose(added, of_first + of_second, rtol=1e-6)
    np.testing.assert_allclose(flat, of_first, rtol=1e-6)


def test_cpu_relocation_moves_variables_to_the_cpu(with_gpus):
    keras = tree.module("tensorflow.keras")
    with tf.device("/gpu:0"):
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    assert [each.device for each in _split(model, 2, cpu_relocation=True).weights] == ["/device:CPU:0"] * 2


@pytest.mark.parametrize("gpus", [1, [0]], ids=str)
def test_a_single_gpu_is_rejected(gpus):
    keras = tree.module("tensorflow.keras")
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    with pytest.raises(ValueError, match="gpus="):
        _split(model, gpus)


def test_a_missing_gpu_is_named():
    keras = tree.module("tensorflow.keras")
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    with pytest.raises(ValueError, match="/gpu:63"):
        _split(model, [0, 63])


def test_logical_cpu_devices_replace_missing_gpus_in_a_script():
    with script() as (of_script, _), of_script.Graph().as_default():
        keras = of_script.keras
        model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
        parallel = of_script.keras.utils.multi_gpu_model(model, 2)
        parallel.compile(optimizer="sgd", loss="mse")
        examples = np.random.RandomState(3).rand(5, 3)
        np.testing.assert_allclose(parallel.predict(examples), model.predict(examples), rtol=1e-5)
