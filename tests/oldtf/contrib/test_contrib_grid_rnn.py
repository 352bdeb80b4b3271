"""tf.contrib.grid_rnn gives the variables and numbers of TensorFlow 1.15."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.grid_rnn_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_grid_rnn", name)) == []
