"""tf.contrib.layers give the variables, collections and numbers of TensorFlow 1.15."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.layers_cases import CASES

# Its temperature is small here: float32's rounding of x / temperature is seen in the exponentials.
_RELATIVE = {"spatial softmax": 2e-5, "spatial softmax fixed": 2e-5}


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    expected = recorded_cases.recorded("contrib_layers", name)
    assert recorded_cases.differences(found, expected, relative=_RELATIVE.get(name, 2e-6)) == []
