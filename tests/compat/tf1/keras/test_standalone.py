"""The package `keras` of scripts: its modules, its differences from tf.keras, and the arguments of Keras 1."""
import contextlib
import importlib
import threading

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import missing, tree

pytestmark = [
    pytest.mark.needs_layers,
    pytest.mark.skipif(tree.is_1_15(), reason="on TensorFlow 1.15 a script imports the keras that is installed"),
]
if not tree.is_1_15():
    from legacy_towers.compat.tf1.keras.standalone import behaviour, module_paths, old_arguments

# Name in the package keras -> name in tf.keras.
NAMES = {
    "keras.layers.convolutional.Conv2D": "layers.Conv2D",
    "keras.layers.Convolution2D": "layers.Conv2D",
    "keras.layers.Deconvolution2D": "layers.Conv2DTranspose",
    "keras.layers.normalization.BatchNormalization": "layers.BatchNormalization",
    "keras.layers.advanced_activations.LeakyReLU": "layers.LeakyReLU",
    "keras.layers.wrappers.TimeDistributed": "layers.TimeDistributed",
    "keras.layers.merge.add": "layers.add",
    "keras.engine.topology.Layer": "layers.Layer",
    "keras.engine.topology.Container": "Model",
    "keras.engine.Input": "Input",
    "keras.engine.training.Model": "Model",
    "keras.models.Model": "Model",
    "keras.Input": "Input",
    "keras.utils.np_utils.to_categorical": "utils.to_categorical",
    "keras.utils.generic_utils.get_custom_objects": "utils.get_custom_objects",
    "keras.utils.data_utils.get_file": "utils.get_file",
    "keras.utils.vis_utils.plot_model": "utils.plot_model",
    "keras.objectives.mean_squared_error": "losses.mean_squared_error",
    "keras.constraints.maxnorm": "constraints.max_norm",
    "keras.callbacks.TensorBoard": "callbacks.TensorBoard",
    "keras.regularizers.l2": "regularizers.l2",
    "keras.datasets.mnist.load_data": "datasets.mnist.load_data",
    "keras.preprocessing.image.ImageDataGenerator": "preprocessing.image.ImageDataGenerator",
    "keras.preprocessing.sequence.pad_sequences": "preprocessing.sequence.pad_sequences",
    "keras.backend.tensorflow_backend.get_session": "backend.get_session",
    "keras.backend.binary_crossentropy": "backend.binary_crossentropy",
}


def keras_module(name):
    """Returns the module that a script imports by this name."""
    return importlib.import_module("legacy_towers.compat.tf1.importable." + name)


@pytest.fixture
def standalone_behaviour():
    keras_module("keras")
    with behaviour.of_standalone_keras():
        yield


@pytest.mark.parametrize("name", NAMES)
def test_names_are_those_of_tf_keras(name):
    module, _, last = name.rpartition(".")
    expected = tf.keras
    for part in NAMES[name].split("."):
        expected = getattr(expected, part)
    found = getattr(keras_module(module), last)
    assert expected in (found, getattr(found, "__wrapped__", None))  # plot_model takes the order of 1.15


@pytest.mark.parametrize("name", [
    "keras.utils.np_utils", "keras.utils.multi_gpu_utils.multi_gpu_model",
    "keras.wrappers.scikit_learn.KerasClassifier",
    "keras.layers.merge._Merge", "keras.layers.recurrent.LSTM", "keras.legacy.interfaces.legacy_dense_support",
    "keras.applications.imagenet_utils._obtain_input_shape", "keras.utils.HDF5Matrix", "keras.layers.Highway",
    "keras.engine.topology.preprocess_weights_for_loading", "keras.engine.saving.load_weights_from_hdf5_group_by_name",
    "keras.engine.training._standardize_input_data", "keras.optimizers.clip_norm",
    "keras.backend.control_flow_ops.cond",
])
def test_names_that_tf_keras_lacks_exist(name):
    value = keras_module("keras")
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    assert value is not None


def test_applications_accept_modules_of_keras():
    keras = keras_module("keras")
    modules = {name: getattr(keras, name) for name in ("backend", "layers", "models", "utils")}
    pixels = np.random.RandomState(2).rand(1, 4, 4, 3) * 255
    found = keras.applications.vgg16.preprocess_input(pixels.copy(), **modules)
    np.testing.assert_allclose(found, pixels[..., ::-1] - [103.939, 116.779, 123.68])
    assert keras.applications.resnet50.ResNet50.__name__ == "ResNet50"


def test_every_module_can_be_imported_and_listed():
    for path in module_paths.MODULES:
        module = keras_module("keras" + ("." + path if path else ""))
        assert isinstance(dir(module), list)
    assert "Dense" in dir(keras_module("keras.layers.core"))
    assert keras_module("keras").__version__ == module_paths.VERSION


def test_missing_names_are_errors():
    with pytest.raises(missing.MissingModule, match="the installed Keras 2 has no keras.layers.nothing"):
        keras_module("keras.layers.nothing")
    with pytest.raises(missing.MissingName, match="the installed Keras 2 has no keras.layers.Nothing"):
        keras_module("keras.layers").Nothing  # noqa: B018
    with pytest.raises(TypeError, match="is a module"):
        keras_module("keras.layers.core")()


def test_layers_and_models_are_named_from_one(standalone_behaviour):
    keras = keras_module("keras")
    inputs = keras.layers.Input((3,))
    hidden = keras.layers.Dense(2)(inputs)
    outputs = keras.layers.Dense(2)(hidden)
    model, row = keras.models.Model(inputs, outputs), keras.models.Sequential([keras.layers.Dense(1, input_dim=2)])
    assert [each.name for each in model.layers] == ["input_1", "dense_1", "dense_2"]
    assert [model.name, row.name, row.layers[0].name] == ["model_1", "sequential_1", "dense_3"]
    assert model.weights[0].name == "dense_1/kernel:0"


def test_the_patches_end_with_the_context():
    with tf.Graph().as_default(), behaviour.of_standalone_keras():
        assert tf.keras.layers.Dense(1).name == "dense_1"
    assert tf.keras.layers.Dense(1).name == "dense"
    with pytest.raises(TypeError):
        tf.keras.layers.Dense(output_dim=1)


def test_threads_share_the_session(standalone_behaviour):
    keras = keras_module("keras")
    model = keras.models.Sequential([keras.layers.Dense(2, input_dim=3)])
    inputs, graph, found = np.ones((1, 3), np.float32), tf.get_default_graph(), []
    expected = model.predict(inputs)

    def predict():
        with graph.as_default():
            found.append(model.predict(inputs))

    thread = threading.Thread(target=predict)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], expected)


def test_build_of_a_custom_layer_gets_tuples_and_get_config_lacks_its_arguments(standalone_behaviour, monkeypatch):
    monkeypatch.setattr(behaviour, "_is_of_script", lambda cls: cls.__name__ == "Scaled")
    keras, seen = keras_module("keras"), []
    with behaviour.of_standalone_keras():

        class Scaled(keras.layers.Layer):
            def __init__(self, factor, **options):
                self.factor = factor
                super().__init__(**options)

            def build(self, input_shape):
                seen.append(input_shape)
                self.kernel = self.add_weight(name="kernel", shape=input_shape[1:] + (4,), initializer="ones")
                super().build(input_shape)

            def call(self, inputs):
                return keras.backend.dot(inputs, self.kernel) * self.factor

        model = keras.models.Sequential([Scaled(2.0, input_shape=(3,))])
        inputs = np.random.RandomState(1).rand(5, 3).astype(np.float32)
        np.testing.assert_allclose(model.predict(inputs), inputs.sum(1, keepdims=True).repeat(4, 1) * 2, rtol=1e-5)
        assert seen == [(None, 3)]
        assert "factor" not in model.layers[0].get_config()


# Layer -> (arguments of Keras 1, arguments of Keras 2).
CALLS = {
    "Dense": (dict(output_dim=4, init="he_normal", bias=False), dict(
        units=4, kernel_initializer="he_normal", use_bias=False)),
    "Dropout": (dict(p=0.3), dict(rate=0.3)),
    "Conv1D": (dict(nb_filter=3, filter_length=5, border_mode="same", input_dim=7, input_length=9), dict(
        filters=3, kernel_size=5, padding="same", input_shape=(9, 7))),
    "Conv2D": (dict(nb_filter=3, nb_row=2, nb_col=4, subsample=(2, 1), border_mode="same", dim_ordering="tf"), dict(
        filters=3, kernel_size=(2, 4), strides=(2, 1), padding="same", data_format="channels_last")),
    "Conv3D": (dict(nb_filter=3, kernel_dim1=1, kernel_dim2=2, kernel_dim3=3), dict(filters=3, kernel_size=(1, 2, 3))),
    "Conv2DTranspose": (dict(nb_filter=3, nb_row=2, nb_col=2, output_shape=(None, 4, 4, 3)), dict(
        filters=3, kernel_size=(2, 2))),
    "MaxPooling1D": (dict(pool_length=3, stride=2, border_mode="same"), dict(pool_size=3, strides=2, padding="same")),
    "MaxPooling2D": (dict(border_mode="same"), dict(padding="same")),
    "LSTM": (dict(output_dim=3, inner_init="zeros", inner_activation="sigmoid", dropout_W=0.1, dropout_U=0.2,
                  consume_less="gpu", forget_bias_init="one", input_dim=6), dict(
        units=3, recurrent_initializer="zeros", recurrent_activation="sigmoid", dropout=0.1, recurrent_dropout=0.2,
        implementation=2, unit_forget_bias=True, input_shape=(None, 6))),
    "Embedding": (dict(input_dim=5, output_dim=2, init="ones", dropout=0.2), dict(
        input_dim=5, output_dim=2, embeddings_initializer="ones")),
    "BatchNormalization": (dict(mode=0, gamma_init="zeros"), dict(gamma_initializer="zeros")),
    "GaussianNoise": (dict(sigma=0.5), dict(stddev=0.5)),
}


@pytest.mark.filterwarnings("ignore:.*of Keras 1")
@pytest.mark.parametrize("layer", CALLS)
def test_layers_accept_the_arguments_of_keras_1(layer, standalone_behaviour):
    layer_class = getattr(keras_module("keras.layers"), layer)
    before, now = (layer_class(name="same", **arguments).get_config() for arguments in CALLS[layer])
    assert before == now


@pytest.mark.filterwarnings("ignore:.*of Keras 1")
def test_kernel_sizes_are_accepted_by_position(standalone_behaviour):
    layers = keras_module("keras.layers")
    assert layers.Convolution2D(8, 3, 5).kernel_size == (3, 5)
    assert layers.Conv2D(8, 3).kernel_size == (3, 3)
    assert layers.Conv2D(8, (3, 3), 2).strides == (2, 2)
    assert layers.Conv3D(8, 3, 5, 7).kernel_size == (3, 5, 7)


def test_contradictory_arguments_are_rejected(standalone_behaviour):
    layers = keras_module("keras.layers")
    with pytest.raises(TypeError, match="output_dim is the name of units in Keras 1, and both are given"):
        layers.Dense(output_dim=1, units=2)
    with pytest.raises(TypeError, match="mode=2.* ended with Keras 1"):
        layers.BatchNormalization(mode=2)
    assert set(old_arguments.NAMES) >= set(CALLS)


@pytest.mark.filterwarnings("ignore:.*of Keras 1", "ignore:.*deprecated")
def test_models_accept_the_arguments_of_keras_1(standalone_behaviour):
    keras = keras_module("keras")
    inputs = keras.layers.Input((3,))
    model = keras.models.Model(input=inputs, output=keras.layers.Dense(1)(inputs))
    model.compile(keras.optimizers.SGD(lr=0.1, decay=0.5), "mse")
    x, y = np.ones((6, 3), np.float32), np.ones((6, 1), np.float32)

    def batches():
        while True:
            yield x[:2], y[:2]

    assert len(model.fit(x, y, nb_epoch=3, verbose=0).history["loss"]) == 3
    fitted = model.fit_generator(batches(), samples_per_epoch=2, nb_epoch=2, validation_data=batches(),
                                 nb_val_samples=1, max_q_size=2, verbose=0)
    assert sorted(fitted.history) == ["loss", "val_loss"] and len(fitted.history["loss"]) == 2
    assert np.isfinite(model.evaluate_generator(batches(), val_samples=2))
    assert keras.backend.get_value(model.optimizer.iterations) == 3 + 4


def test_weights_of_layers_are_saved_to_a_file_and_loaded(standalone_behaviour, tmp_path):
    h5py = pytest.importorskip("h5py")
    keras, topology = keras_module("keras"), keras_module("keras.engine.topology")
    saving = keras_module("keras.engine.saving")

    def model():
        layers = [keras.layers.Dense(4, input_dim=3, name="one"), keras.layers.Dense(2, name="two")]
        return keras.models.Sequential(layers)

    first, second, third = model(), model(), model()
    with h5py.File(str(tmp_path / "weights.h5"), "w") as file:
        saving.save_weights_to_hdf5_group(file, first.layers)
    kept = third.layers[0].get_weights()[0]
    with h5py.File(str(tmp_path / "weights.h5"), "r") as file:
        topology.load_weights_from_hdf5_group(file, second.layers)
        topology.load_weights_from_hdf5_group_by_name(file, filter(lambda each: each.name == "two", third.layers))
    for written, read in zip(first.get_weights(), second.get_weights()):
        np.testing.assert_array_equal(read, written)
    np.testing.assert_array_equal(third.layers[1].get_weights()[0], first.layers[1].get_weights()[0])
    np.testing.assert_array_equal(third.layers[0].get_weights()[0], kept)


def test_add_loss_of_a_regularizer_has_a_gradient(standalone_behaviour):
    keras = keras_module("keras")
    inputs = keras.layers.Input((3,))
    model = keras.models.Model(inputs, keras.layers.Dense(2, use_bias=False)(inputs))
    model._losses = []
    model.add_loss(tf.reduce_sum(tf.square(model.trainable_weights[0])))
    model.compile(keras.optimizers.SGD(lr=0.25), loss=[None])
    before = model.get_weights()[0]
    loss = model.train_on_batch(np.zeros((4, 3), np.float32))
    np.testing.assert_allclose(loss, np.sum(before ** 2), rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], before / 2, rtol=1e-5, atol=1e-7)


def test_a_model_keeps_attributes_that_are_set_before_init(standalone_behaviour):
    keras = keras_module("keras")
    inputs = keras.layers.Input((3,))
    inner = keras.models.Model(inputs, keras.layers.Dense(2)(inputs))

    class Outer(keras.models.Model):
        def __init__(self, model):
            self.inner = model
            super().__init__(inputs=model.inputs, outputs=model.outputs)

    x = np.random.RandomState(2).rand(4, 3).astype(np.float32)
    outer = Outer(inner)
    assert outer.inner is inner
    np.testing.assert_allclose(outer.predict(x), inner.predict(x), rtol=1e-6)


def test_an_output_may_be_a_scalar_loss(standalone_behaviour):
    keras = keras_module("keras")
    inputs = keras.layers.Input((3,))
    total = keras.layers.Lambda(lambda x: tf.reduce_sum(x), output_shape=(1,), name="total")(inputs)
    model = keras.models.Model(inputs, total)
    model.compile("sgd", {"total": lambda wanted, found: found})
    assert model.test_on_batch(np.ones((4, 3), np.float32), np.zeros(4)) == pytest.approx(12.0)


def test_logs_have_the_accuracy_under_both_names(standalone_behaviour):
    keras, seen = keras_module("keras"), []
    model = keras.models.Sequential([keras.layers.Dense(2, activation="softmax", input_dim=3)])
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
    see = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(logs))
    x, y = np.ones((6, 3), np.float32), np.eye(2)[[0, 1, 0, 1, 1, 1]]
    history = model.fit(x, y, validation_data=(x, y), callbacks=[see], verbose=0).history
    assert sorted(history) == ["acc", "accuracy", "loss", "val_acc", "val_accuracy", "val_loss"]
    assert history["val_acc"] == history["val_accuracy"] == [seen[0]["val_accuracy"]]
    assert model.metrics_names == ["loss", "acc"]


def test_get_updates_of_an_optimizer_decays_the_learning_rate(standalone_behaviour):
    keras = keras_module("keras")
    weights = keras.backend.variable(np.array([1.0, -2.0]))
    optimizer = keras.optimizers.sgd(lr=0.5, decay=1.0)
    loss = keras.backend.sum(keras.backend.square(weights))
    step = keras.backend.function([], [loss], updates=optimizer.get_updates(loss=loss, params=[weights]))
    expected, rates = np.array([1.0, -2.0]), [0.5, 0.25]
    for rate in rates:
        step([])
        expected = expected - rate * 2 * expected
    np.testing.assert_allclose(keras.backend.get_value(weights), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore:.*merge")
@pytest.mark.parametrize("mode, expected", [
    ("sum", lambda a, b: a + b), ("mul", lambda a, b: a * b), ("ave", lambda a, b: (a + b) / 2),
    ("max", np.maximum), ("concat", lambda a, b: np.concatenate([a, b], 1)),
    ("dot", lambda a, b: (a * b).sum(1, keepdims=True)),
    ("cos", lambda a, b: (a * b).sum(1, keepdims=True) / np.linalg.norm(a, axis=1, keepdims=True)
     / np.linalg.norm(b, axis=1, keepdims=True)),
    (lambda both: both[0] - both[1], np.subtract),
], ids=["sum", "mul", "ave", "max", "concat", "dot", "cos", "function"])
def test_merge_modes(mode, expected):
    keras = keras_module("keras")
    numbers = np.random.RandomState(3).rand(2, 4, 3).astype(np.float32)
    one, other = keras.layers.Input((3,)), keras.layers.Input((3,))
    merged = keras.layers.merge([one, other], mode=mode)
    found = keras.backend.function([one, other], [merged])(list(numbers))[0]
    np.testing.assert_allclose(found, expected(*numbers), rtol=1e-5)


def test_highway_and_maxout_dense_equal_numpy():
    layers = keras_module("keras.layers")
    x = np.random.RandomState(4).rand(5, 3).astype(np.float32)
    with tf.Session() as session:
        highway, maxout = layers.Highway(activation="tanh"), layers.MaxoutDense(2, nb_feature=4, input_dim=3)
        found = [highway(tf.constant(x)), maxout(tf.constant(x))]
        session.run(tf.global_variables_initializer())
        (of_highway, of_maxout), weights, gate, many = session.run([found, highway.W, highway.W_carry, maxout.W])
    part = 1 / (1 + np.exp(-(x @ gate + 1)))
    np.testing.assert_allclose(of_highway, np.tanh(x @ weights) * part + x * (1 - part), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(of_maxout, np.max([x @ each for each in many], axis=0), rtol=1e-5, atol=1e-6)


def test_the_backend_has_names_of_keras_1():
    backend = keras_module("keras.backend")
    assert backend.image_dim_ordering() == "tf" and backend.backend() == "tensorflow"
    with contextlib.ExitStack() as stack:
        stack.callback(backend.set_image_dim_ordering, "tf")
        backend.set_image_dim_ordering("th")
        assert backend.image_data_format() == "channels_first"
    with pytest.raises(ValueError, match="dim_ordering must be"):
        backend.set_image_dim_ordering("other")
    assert backend.tf.contrib is tree.module("tensorflow").contrib
    assert backend.normalize_data_format(None) == "channels_last"
