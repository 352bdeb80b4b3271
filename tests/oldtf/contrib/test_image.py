"""tf.contrib.image gives the numbers of TensorFlow 1.15."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.image_cases import CASES


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    # A spline is the solution of linear equations in float32: how they are solved shows in the fifth digit.
    bounds = (2e-4, 2e-5) if name == "splines" else (2e-5, 2e-6)
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_image", name), *bounds) == []
