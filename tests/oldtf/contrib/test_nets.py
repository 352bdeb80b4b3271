"""tf.contrib.slim.nets have the variables, end points and logits of TensorFlow 1.15."""
import json

import numpy as np
import pytest
from oldtf.contrib import nets_cases

_SLOW = ("inception v1", "inception v2", "inception v3", "resnet v1")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in nets_cases.CASES]
)
def test_as_on_1_15(name):
    facts, logits = nets_cases.run(name)
    with np.load(nets_cases.FILE) as stored:
        assert json.loads(json.dumps(facts)) == json.loads(bytes(stored[name + "|facts"].tolist()).decode())
        if logits is not None:
            # Some twenty layers of float32, each with a rounding of its own.
            scale = np.max(np.abs(stored[name + "|logits"]))
            np.testing.assert_allclose(logits, stored[name + "|logits"], rtol=0, atol=2e-5 * scale)
            assert scale > 1e-3
