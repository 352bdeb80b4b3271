"""tf.contrib.feature_column.sequence_input_layer, compared with NumPy; on TensorFlow 1.15 TensorFlow's own."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree

WORDS = [[2, 0, 1], [1]]
PRICES = [[0.5, 1.5, 2.5], [3.5]]


def _sparse(rows, dtype):
    indices = [(row, step) for row, values in enumerate(rows) for step in range(len(values))]
    return tf.SparseTensor(indices, tf.constant([value for values in rows for value in values], dtype), (2, 3))


@pytest.fixture
def columns():
    return tree.module("tensorflow.contrib.feature_column")


def _embedded(columns, key="words"):
    ids = columns.sequence_categorical_column_with_identity(key, 4)
    return tf.feature_column.embedding_column(ids, 2)


def test_columns_are_concatenated_in_the_order_of_their_names(columns):
    features = {"words": _sparse(WORDS, tf.int64), "prices": _sparse(PRICES, tf.float32)}
    feature_columns = [_embedded(columns), columns.sequence_numeric_column("prices")]
    layer, lengths = columns.sequence_input_layer(features, feature_columns, weight_collections=["tables"])
    (table,) = tf.trainable_variables()
    assert table.op.name == "sequence_input_layer/words_embedding/embedding_weights"
    assert [each.op.name for each in tf.get_collection("tables")] == [table.op.name]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, steps, rows = session.run([layer, lengths, table])
    expected = np.zeros((2, 3, 3))
    for row, (words, prices) in enumerate(zip(WORDS, PRICES)):
        expected[row, : len(words), 0] = prices
        expected[row, : len(words), 1:] = rows[words]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert steps.tolist() == [3, 1]


def test_indicator_columns_and_variables_that_are_not_trainable(columns):
    ids = columns.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"])
    features = {"words": _sparse([["b", "a", "b"], ["a"]], tf.string), "ids": _sparse(WORDS, tf.int64)}
    feature_columns = [tf.feature_column.indicator_column(ids), _embedded(columns, "ids")]
    layer, _ = columns.sequence_input_layer(features, feature_columns, trainable=False)
    assert not tf.trainable_variables() and len(tf.global_variables()) == 1
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        indicated = session.run(layer)[:, :, 2:]
    np.testing.assert_array_equal(indicated, [[[0, 1], [1, 0], [0, 1]], [[1, 0], [0, 0], [0, 0]]])


def test_sequences_of_different_lengths_raise(columns):
    features = {"words": _sparse([[1], [1]], tf.int64), "prices": _sparse(PRICES, tf.float32)}
    layer = columns.sequence_input_layer(features, [_embedded(columns), columns.sequence_numeric_column("prices")])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(layer)


@pytest.mark.parametrize("feature_columns", [
    pytest.param(lambda columns: [], id="none"),
    pytest.param(lambda columns: [columns.sequence_numeric_column("prices")] * 2, id="same name"),
    pytest.param(lambda columns: [tf.feature_column.numeric_column("prices")], id="not a sequence"),
    pytest.param(lambda columns: [columns.sequence_categorical_column_with_identity("words", 4)], id="not embedded"),
])
def test_columns_that_are_not_dense_sequence_columns_raise(columns, feature_columns):
    features = {"words": _sparse(WORDS, tf.int64), "prices": _sparse(PRICES, tf.float32)}
    with pytest.raises(ValueError):
        columns.sequence_input_layer(features, feature_columns(columns))
