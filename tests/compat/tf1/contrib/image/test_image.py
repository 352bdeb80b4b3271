"""tf.contrib.image has the numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.image_cases import CASES


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    # Splines solve linear equations in float32, and solvers differ in the fifth digit.
    bounds = (2e-4, 2e-5) if name == "splines" else (2e-5, 2e-6)
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_image", name), *bounds) == []
