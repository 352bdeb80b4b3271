"""tf.contrib.layers.batch_norm has the variables, collections and numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.batch_norm_cases import CASES


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_batch_norm_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_batch_norm", name)) == []
