"""tf.contrib.layers.batch_norm gives the variables, collections and numbers of TensorFlow 1.15."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.batch_norm_cases import CASES


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_batch_norm", name)) == []
