"""tf.contrib.rnn has the variables and numbers of TensorFlow 1.15."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.rnn_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_cell_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    # PhasedLSTMCell divides by ratio_on, which is small.
    bounds = {"relative": 1e-5, "absolute": 1e-5} if name == "phased" else {}
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_rnn", name), **bounds) == []


def test_compiled_wrapper_compiles_stateless_ops():
    tf = recorded_cases.module("tensorflow")
    cell = tf.contrib.rnn.CompiledWrapper(tf.contrib.rnn.GRUCell(3))
    cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    compiled = {operation.type for operation in tf.get_default_graph().get_operations() if _is_compiled(operation)}
    assert {"MatMul", "Tanh", "Sigmoid"} <= compiled
    assert not {"VariableV2", "RandomUniform"} & compiled


def _is_compiled(operation):
    try:
        return operation.get_attr("_XlaCompile")
    except ValueError:
        return False
