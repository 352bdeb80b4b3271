"""Messages for missing names. The names were looked up in TensorFlow 1.15's own reference."""
import pytest

from legacy_towers.compat.tf1 import advice, earlier_names, known_names, missing, registry


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: nothing here needs TensorFlow."""


SENTENCES = {
    "not supported, with advice": (
        "tensorflow.contrib.kafka.KafkaDataset",
        "tf.contrib.kafka.KafkaDataset was part of TensorFlow 1.15, and is not supported: TensorFlow I/O, which had it",
    ),
    "private": (
        "tensorflow.python.pywrap_tensorflow_internal.TF_NewGraph",
        "tf.python.pywrap_tensorflow_internal.TF_NewGraph was part of TensorFlow 1.15, and is not supported: it is p",
    ),
    "a module of a supported package": (
        "tensorflow.contrib.factorization.python.ops.factorization_ops",
        "tf.contrib.factorization.python.ops.factorization_ops was part of TensorFlow 1.15, and is not supported: "
        "TensorFlow 2 has no WALS operations: use the package implicit",
    ),
    "spelling": (
        "tensorflow.train.AdamOptimiser",
        "tf.train.AdamOptimiser is not a name of TensorFlow 1.15: did you mean tf.train.AdamOptimizer",
    ),
    "spelling, in a supported package": (
        "tensorflow.contrib.grid_rnn.Grid2LSTMCel",
        "tf.contrib.grid_rnn.Grid2LSTMCel is not a name of TensorFlow 1.15: did you mean "
        "tf.contrib.grid_rnn.Grid2LSTMCell",
    ),
    "another module": ("tensorflow.shuffle_batch", "tf.shuffle_batch is not a name of TensorFlow 1.15: did you mean"),
    "nothing similar": ("tensorflow.zzzz", "tf.zzzz is not a name of TensorFlow 1.15"),
    "of 0.12": (
        "tensorflow.contrib.bayesflow.special_math.log_ndtr",
        "tf.contrib.bayesflow.special_math.log_ndtr was part of TensorFlow 0.12, and is not supported: TensorFlow "
        "Probability has it",
    ),
    "of several versions before 1.15": (
        "tensorflow.contrib.boosted_trees.lib.learner",
        "tf.contrib.boosted_trees.lib.learner was part of TensorFlow 1.4 to 1.14, and is not supported",
    ),
    "of one version before 1.15": (
        "tensorflow.contrib.all_reduce.build_nccl_all_reduce",
        "tf.contrib.all_reduce.build_nccl_all_reduce was part of TensorFlow 1.12, and is not supported",
    ),
    "an attribute of a class": (
        "tensorflow.Operation.traceback_with_start_lines",
        "tf.Operation.traceback_with_start_lines was part of TensorFlow 1.15, and is not supported",
    ),
    "outside of the API": (
        "tensorflow.tensorboard.main",
        "tf.tensorboard.main is not a name of TensorFlow 1.15: it is the package tensorboard now",
    ),
}


@pytest.mark.parametrize("name, sentence", list(SENTENCES.values()), ids=list(SENTENCES))
def test_sentence_names_the_version_and_the_replacement(name, sentence):
    assert missing.sentence(name).startswith(sentence)


def test_advice_is_on_names_of_1_15_or_earlier():
    unknown = {
        name for name in advice.ADVICE
        if not known_names.is_name_of_1_15(name) and not earlier_names.versions_of(name)
    }
    # a package beside TensorFlow, and one of which only some builds had the compiled part
    assert unknown == {"tensorflow.tensorboard", "tensorflow.contrib.mpi_collectives"}


def test_advice_has_no_names_that_the_registry_has():
    # Modules that are supported, with advice on the names that they lack.
    parts = ("distribute", "estimator", "feature_column")
    incomplete = {"tensorflow.contrib." + part for part in parts}
    assert set(advice.ADVICE) & set(registry.rows(is_1_15=False)) == incomplete
    assert not set(advice.ADVICE) & set(registry.reasons())


def test_advice_ends_without_a_full_stop():
    for name, text in advice.ADVICE.items():
        assert text and not text.endswith("."), name
