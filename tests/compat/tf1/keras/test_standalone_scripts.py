"""Scripts that import keras, run by `legacy-towers run` on TensorFlow 2.x and by python on TensorFlow 1.15."""
import json
import os
import sys

import numpy as np
import processes
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree

pytestmark = [pytest.mark.slow, pytest.mark.needs_layers]

# With names of 2017; without the package keras it falls back to tf.keras, like scripts of 2018.
TOWERS = """
from __future__ import print_function
import json
import numpy as np
import tensorflow as tf
try:
    import keras
    from keras.models import Sequential
    from keras.layers.core import Dense, Flatten, Dropout, Activation
    from keras.layers.convolutional import Conv2D, MaxPooling2D
    from keras.layers.normalization import BatchNormalization
    from keras.optimizers import SGD
    from keras.utils import np_utils
    import keras.backend.tensorflow_backend as KTF
    to_categorical = np_utils.to_categorical
except ImportError:
    from tensorflow import keras
    from tensorflow.keras.models import Sequential
    from tensorflow.keras.layers import Dense, Flatten, Dropout, Activation, Conv2D, MaxPooling2D, BatchNormalization
    from tensorflow.keras.optimizers import SGD
    import tensorflow.keras.backend as KTF
    to_categorical = keras.utils.to_categorical

KTF.set_session(tf.Session(config=tf.ConfigProto(allow_soft_placement=True)))
random = np.random.RandomState(7)
x_train = random.rand(64, 8, 8, 1).astype('float32')
y_train = to_categorical(random.randint(0, 4, 64), 4)

with tf.device('/cpu:0'):
    model = Sequential()
    model.add(Conv2D(6, (3, 3), padding='same', input_shape=(8, 8, 1)))
    model.add(BatchNormalization())
    model.add(Activation('relu'))
    model.add(MaxPooling2D(pool_size=(2, 2)))
    model.add(Flatten())
    model.add(Dense(10, activation='tanh'))
    model.add(Dropout(0.0))
    model.add(Dense(4, activation='softmax'))
model.set_weights([random.randn(*w.shape) * 0.2 if w.ndim > 1 else w for w in model.get_weights()])
model.compile(loss='categorical_crossentropy', optimizer=SGD(lr=0.05, decay=1e-2, momentum=0.9, nesterov=True),
              metrics=['accuracy'])
history = model.fit(x_train, y_train, batch_size=16, epochs=3, verbose=0, shuffle=False, validation_split=0.25)

def batches():
    while True:
        for begin in range(0, 64, 16):
            yield x_train[begin:begin + 16], y_train[begin:begin + 16]

after = model.fit_generator(batches(), steps_per_epoch=4, epochs=2, verbose=0, workers=0, shuffle=False)
f = KTF.function([model.layers[0].input, KTF.learning_phase()], [model.layers[5].output])
hidden = f([x_train[:4], 0])[0]
history = dict(history.history, generated=after.history['loss'], hidden=hidden.ravel().tolist())
history['predicted'] = model.predict(x_train[:2]).ravel().tolist()
print(json.dumps({name: [float(each) for each in values] for name, values in history.items()}))
"""
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3)
REFERENCE = os.path.join(TESTS, "tf1_cases", "reference", "keras_script.json")


def output_of(folder, script, *options):
    (folder / "train.py").write_text(script)
    command = [sys.executable, "train.py"]
    if not tree.is_1_15():
        command = [sys.executable, "-m", "legacy_towers", "run"] + list(options) + ["train.py"]
    return processes.run(command, cwd=str(folder))


def test_a_script_trains_to_the_numbers_of_1_15(tmp_path):
    """Keras 2.3.1 gives the same numbers on TensorFlow 1.15, to 1e-6.

    To record the reference file again, run train.py on TensorFlow 1.15 without the package keras.
    """
    done = output_of(tmp_path, TOWERS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    with open(REFERENCE, encoding="utf-8") as file:
        expected = json.load(file)
    assert set(found) - {"accuracy", "val_accuracy"} == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-5, atol=5e-6, err_msg=name)
    if not tree.is_1_15():
        assert "train.py:7: import of keras: interpreted as tf.keras" in done.stderr


@pytest.mark.skipif(tree.is_1_15(), reason="TensorFlow 1.15 scripts import the installed keras")
def test_import_keras_without_keras_2_names_the_package_to_install(tmp_path):
    if tf.__version__ < "2.16":
        pytest.skip("the tf.keras of TensorFlow {} is Keras 2".format(tf.__version__))
    script = "try:\n    import keras\nexcept ImportError as error:\n    print(error)\n"
    (tmp_path / "train.py").write_text(script)
    program = "import runpy, sys\nsys.argv = ['legacy-towers', 'run', 'train.py']\n"
    program += "runpy.run_module('legacy_towers', run_name='__main__')\n"
    done = processes.run_python(program, blocked=["tf_keras"], cwd=str(tmp_path))
    expected = "train.py:2: import of keras (Keras 2): the tf.keras of TensorFlow 1.x is not Keras 3, and needs"
    assert expected in done.stdout


@pytest.mark.skipif(tree.is_1_15(), reason="TensorFlow 1.15 scripts import the installed keras")
def test_keras_is_imported_by_name_and_a_keras_of_the_script_is_kept(tmp_path):
    (tmp_path / "by_name.py").write_text(
        "import importlib\nK = importlib.import_module('keras.backend')\nassert K.backend() == 'tensorflow'\n"
        "assert __import__('keras').layers.Dense(1).name == 'dense_1'\n"
        "from keras_applications.imagenet_utils import _obtain_input_shape\n")
    done = processes.run([sys.executable, "-m", "legacy_towers", "run", "by_name.py"], cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    (tmp_path / "keras.py").write_text("name = 'mine'\n")
    (tmp_path / "own.py").write_text("import keras\nprint(keras.name)\n")
    done = processes.run([sys.executable, "-m", "legacy_towers", "run", "own.py"], cwd=str(tmp_path))
    assert done.stdout == "mine\n", done.stderr
