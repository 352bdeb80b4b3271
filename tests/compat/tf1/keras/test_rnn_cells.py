"""tf.nn.rnn_cell and tf.nn.dynamic_rnn have the variables and results of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.keras.cell_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_cells_equal_the_recording_of_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("keras2_cells", name)) == []
