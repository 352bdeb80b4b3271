"""What is said of a name that is not there. The names were looked up in TensorFlow 1.15's own reference."""
import pytest

from legacy_towers.oldtf import advice, known_names, missing, provided


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


SENTENCES = {
    "not served, with advice": (
        "tensorflow.contrib.kafka.KafkaDataset",
        "tf.contrib.kafka.KafkaDataset was part of TensorFlow 1.15, and is not served: TensorFlow I/O has it: "
        "pip install tensorflow-io",
    ),
    "inside": (
        "tensorflow.python.pywrap_tensorflow_internal.TF_NewGraph",
        "tf.python.pywrap_tensorflow_internal.TF_NewGraph was part of TensorFlow 1.15, and is not served: it is a",
    ),
    "a module of a part that is served": (
        "tensorflow.contrib.factorization.python.ops.factorization_ops",
        "tf.contrib.factorization.python.ops.factorization_ops was part of TensorFlow 1.15, and is not served: it "
        "needs operations that ended with TensorFlow 1.15: the package implicit",
    ),
    "spelling": (
        "tensorflow.train.AdamOptimiser",
        "tf.train.AdamOptimiser is no name of TensorFlow 1.15: did you mean tf.train.AdamOptimizer",
    ),
    "spelling, in a part that is served": (
        "tensorflow.contrib.grid_rnn.Grid2LSTMCel",
        "tf.contrib.grid_rnn.Grid2LSTMCel is no name of TensorFlow 1.15: did you mean "
        "tf.contrib.grid_rnn.Grid2LSTMCell",
    ),
    "another place": ("tensorflow.shuffle_batch", "tf.shuffle_batch is no name of TensorFlow 1.15: did you mean"),
    "nothing like it": ("tensorflow.zzzz", "tf.zzzz is no name of TensorFlow 1.15"),
    "before 1.15": (
        "tensorflow.tensorboard.main",
        "tf.tensorboard.main is no name of TensorFlow 1.15: it is the package tensorboard now",
    ),
}


@pytest.mark.parametrize("name, sentence", list(SENTENCES.values()), ids=list(SENTENCES))
def test_the_sentence_says_what_it_was(name, sentence):
    assert missing.sentence(name).startswith(sentence)


def test_advice_is_on_names_that_were():
    earlier = {"tensorflow." + name for name in ("tensorboard",)}
    earlier |= {"tensorflow.contrib." + name for name in ("coder", "gan", "kfac", "mpi_collectives", "rate")}
    assert {name for name in advice.ADVICE if not known_names.is_name_of_1_15(name)} == earlier


def test_advice_is_on_what_no_room_speaks_of():
    # Whole parts that stand, but for names that they lack.
    parts = ("distribute", "estimator", "feature_column")
    lacking = {"tensorflow.contrib." + part for part in parts}
    assert set(advice.ADVICE) & set(provided.rows(is_1_15=False)) == lacking
    assert not set(advice.ADVICE) & set(provided.reasons())


def test_advice_is_half_a_sentence():
    for name, text in advice.ADVICE.items():
        assert text and not text.endswith("."), name
