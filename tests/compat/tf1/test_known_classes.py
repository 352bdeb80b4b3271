"""The recorded methods of public classes of TensorFlow 1.15, compared with those of the classes that scripts get."""
import pytest

from legacy_towers.compat.patches import class_methods, keras_classes, keras_layers
from legacy_towers.compat.tf1 import known_classes, tree

pytestmark = pytest.mark.filterwarnings("ignore")


def test_attributes_are_those_of_the_class_and_its_bases():
    found = known_classes.attributes("tensorflow.compat.v1.keras.layers.Dense")
    assert found == known_classes.attributes("tensorflow.keras.layers.Dense")
    assert found["add_update"] == ("updates", "inputs=None") and found["apply"] == ("inputs", "*args", "**kwargs")
    assert found["units"] is None and "no_such_method" not in found
    assert known_classes.attributes("tensorflow.nn.relu") is None
    assert len(known_classes.names()) > 600


def test_the_recording_is_that_of_the_running_1_15():
    if not tree.is_1_15():
        pytest.skip("needs TensorFlow 1.15")
    tf = tree.module("tensorflow")
    for name in ("train.Saver", "keras.layers.LSTM", "data.Dataset", "estimator.Estimator", "nn.rnn_cell.LSTMCell"):
        value = tf
        for part in name.split("."):
            value = getattr(value, part)
        methods = [each for each, given in known_classes.attributes("tensorflow." + name).items() if given is not None]
        assert len(methods) > 3 and [each for each in methods if not hasattr(value, each)] == []


@pytest.mark.needs_layers
def test_methods_of_1_15_are_there():
    if tree.is_1_15():
        pytest.skip("TensorFlow 1.15 has them")
    tf = tree.module("tensorflow")
    # In graph mode Keras makes these the bases of layers and models when it makes the first one.
    bases = {keras_classes.layer_classes()[1]: keras_classes.layer_classes()[0]}
    bases[keras_classes.model_classes()[1]] = keras_classes.model_classes()[0]
    with keras_layers.layers_have_methods_of_1_15(), class_methods.classes_have_methods_of_1_15():
        missing = _missing(tf, bases)
    assert missing == {}


@pytest.mark.needs_layers
def test_a_missing_method_is_found():
    if not tree.is_1_15():
        assert "none_from_structure" in _missing(tree.module("tensorflow"), {})


def _missing(tf, bases):
    missing = {}
    for name in known_classes.names():
        value = tf
        try:
            for part in name.split(".")[1:]:
                value = getattr(value, part)
        except (AttributeError, ImportError):  # in the table of names
            continue
        if isinstance(value, type):
            for each, given in known_classes.attributes(name).items():
                places = [value] + [graph for eager, graph in bases.items() if issubclass(value, eager)]
                if given is not None and not any(hasattr(place, each) for place in places):
                    missing.setdefault(each, set()).add(name)
    return missing
