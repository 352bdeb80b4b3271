"""tf.contrib.rnn gives the variables and numbers of TensorFlow 1.15, and has all of its names."""
import pytest
from oldtf import recorded_cases
from oldtf.contrib.rnn_cases import CASES

pytestmark = pytest.mark.needs_layers


@pytest.mark.parametrize("name", sorted(CASES))
def test_as_on_1_15(name):
    found = recorded_cases.run(CASES[name])
    # A phased unit divides by the small part of the cycle in which it is open.
    bounds = {"relative": 1e-5, "absolute": 1e-5} if name == "phased" else {}
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_rnn", name), **bounds) == []


def test_compiled_wrapper_marks_what_has_no_state():
    tf = recorded_cases.module("tensorflow")
    cell = tf.contrib.rnn.CompiledWrapper(tf.contrib.rnn.GRUCell(3))
    cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    marked = {operation.type for operation in tf.get_default_graph().get_operations() if _is_compiled(operation)}
    assert {"MatMul", "Tanh", "Sigmoid"} <= marked
    assert not {"VariableV2", "RandomUniform"} & marked


def _is_compiled(operation):
    try:
        return operation.get_attr("_XlaCompile")
    except ValueError:
        return False
