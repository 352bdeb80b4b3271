"""tf.contrib.layers has the variables, collections and numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.layers_cases import CASES

# The temperature is small in these cases: the exponentials amplify float32's rounding of x / temperature.
_RELATIVE = {"spatial softmax": 2e-5, "spatial softmax fixed": 2e-5}


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_layer_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    expected = recorded_cases.recorded("contrib_layers", name)
    assert recorded_cases.differences(found, expected, relative=_RELATIVE.get(name, 2e-6)) == []
