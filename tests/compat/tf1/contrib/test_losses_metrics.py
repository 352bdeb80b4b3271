"""tf.contrib.losses and metrics have the numbers and local variables of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.losses_metrics_cases import CASES


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_losses_metrics", name)) == []
