"""The example scripts as modules, and the command line run on them in this process."""
import importlib
import os

import pytest

EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "examples"))


@pytest.fixture
def load_example(monkeypatch):
    """Returns a function that imports an example by its name, as the script does."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.fixture
def command(capsys):
    """Returns a function that runs `legacy-towers COMMAND EXAMPLE ...`: (exit code, stdout, stderr)."""
    import legacy_towers as lt

    def run(name, example, *arguments):
        code = lt.main([name, os.path.join(EXAMPLES, example)] + [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def seeded(monkeypatch):
    """Sets the seed of every graph to 1, so that the results of training do not depend on chance."""
    from legacy_towers.compat import tf

    make = tf.Graph.__init__

    def make_seeded(graph, *arguments, **named):
        make(graph, *arguments, **named)
        graph.seed = 1

    monkeypatch.setattr(tf.Graph, "__init__", make_seeded)


@pytest.fixture
def keras_layers():
    """Skips the test if tf.layers does not work: TensorFlow from 2.16 on without tf_keras."""
    from legacy_towers.compat import tf
    from legacy_towers.compat.versions import keras, supported

    problem = keras.problem(supported.parse(tf.__version__))
    if problem is not None:
        pytest.skip(problem)
