"""tf.contrib.slim.nets have the variables, end points and logits of TensorFlow 1.15."""
import json

import numpy as np
import pytest
from tf1_cases.contrib import nets_cases

_SLOW = ("inception v1", "inception v2", "inception v3", "resnet v1")


@pytest.mark.recorded
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in nets_cases.CASES]
)
def test_matches_tensorflow_1_15(name):
    facts, logits = nets_cases.run(name)
    with np.load(nets_cases.FILE, allow_pickle=False) as stored:
        assert json.loads(json.dumps(facts)) == json.loads(bytes(stored[name + "|facts"].tolist()).decode())
        if logits is not None:
            # The rounding errors of about twenty float32 layers add up.
            scale = np.max(np.abs(stored[name + "|logits"]))
            np.testing.assert_allclose(logits, stored[name + "|logits"], rtol=0, atol=2e-5 * scale)
            assert scale > 1e-3
