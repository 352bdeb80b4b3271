"""The packages of tf.contrib for recurrent networks have the public names of TensorFlow 1.15, or a reason."""
import json
import os
import types

import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat.tf1 import registry

pytestmark = pytest.mark.needs_layers

with open(os.path.join(recorded_cases.FOLDER, "recurrent_names.json")) as _file:
    NAMES = json.load(_file)

# Modules below tf.contrib that scripts import, each with a name that it must have.
MODULES = [
    ("contrib.rnn.python.ops.core_rnn_cell", "_linear"),
    ("contrib.rnn.python.ops.core_rnn_cell", "EmbeddingWrapper"),
    ("contrib.rnn.python.ops.lstm_ops", "LSTMBlockCell"),
    ("contrib.rnn.python.ops.rnn_cell", "AttentionCellWrapper"),
    ("contrib.rnn.python.ops.fused_rnn_cell", "TimeReversedFusedRNN"),
    ("contrib.rnn.python.ops.rnn", "stack_bidirectional_dynamic_rnn"),
]


def _public(part):
    module = recorded_cases.module("tensorflow.contrib." + part)
    names = [name for name in dir(module) if not name.startswith("_")]
    plain = [name for name in names if not isinstance(getattr(module, name), types.ModuleType)]
    return sorted(name for name in plain if type(getattr(module, name)).__name__ != "_Feature")


@pytest.mark.parametrize("part", sorted(NAMES))
def test_every_name_of_1_15_exists_or_has_a_reason(part):
    module_name = "tensorflow.contrib." + part
    module = recorded_cases.module(module_name)
    missing = [name for name in NAMES[part] if not hasattr(module, name)]
    assert [name for name in missing if module_name + "." + name not in registry.reasons()] == []


@pytest.mark.parametrize("part", sorted(NAMES))
def test_recorded_names_are_those_of_1_15(part):
    if not recorded_cases.is_1_15():
        pytest.skip("the names were recorded on TensorFlow 1.15")
    assert _public(part) == NAMES[part]


@pytest.mark.parametrize("module, name", MODULES, ids=["{}:{}".format(*row) for row in MODULES])
def test_private_modules_have_the_names_that_scripts_import(module, name):
    assert hasattr(recorded_cases.module("tensorflow." + module), name)
