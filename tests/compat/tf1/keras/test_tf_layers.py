"""tf.layers has the variables, collections and results of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.keras.layer_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_layers_equal_the_recording_of_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("keras2_layers", name)) == []
