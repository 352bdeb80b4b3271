"""tf.contrib.seq2seq gives the variables and numbers of TensorFlow 1.15."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.seq2seq_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    # Their outputs are a hundred times as large, so that what is drawn is sure; and so are their gradients.
    bounds = {"relative": 1e-4, "absolute": 1e-5} if name.startswith("scheduled_embedding") else {}
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_seq2seq", name), **bounds) == []
