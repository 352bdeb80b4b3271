"""tf.contrib.grid_rnn has the variables and numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.grid_rnn_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_grid_rnn", name)) == []
