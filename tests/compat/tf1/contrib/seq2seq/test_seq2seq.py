"""tf.contrib.seq2seq has the variables and numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.seq2seq_cases import CASES

pytestmark = pytest.mark.needs_layers

# One case of each kind; the others build large graphs and are slow.
QUICK = (
    "attention_bahdanau",
    "attention_luong",
    "beam",
    "custom",
    "greedy",
    "losses",
    "small_functions",
    "training",
    "trees",
)
NAMES = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in sorted(CASES)]


@pytest.mark.recorded
@pytest.mark.parametrize("name", NAMES)
def test_case_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    # These cases scale the outputs by 100, so that sampling is deterministic; the gradients are larger too.
    bounds = {"relative": 1e-4, "absolute": 1e-5} if name.startswith("scheduled_embedding") else {}
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_seq2seq", name), **bounds) == []
