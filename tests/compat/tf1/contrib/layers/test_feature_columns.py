"""The feature columns of tf.contrib.layers; on TensorFlow 1.15 the tests check TensorFlow's own."""
import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib.feature_columns_cases import CASES

from legacy_towers.compat import tf

layers = tf.contrib.layers


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_case_matches_tensorflow_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("contrib_feature_columns", name)) == []


@pytest.mark.parametrize(
    "columns, options, message",
    [
        (["word"], {}, "at least 2 elements"),
        (["word", "number"], {"hash_bucket_size": 1}, "at least 2"),
        (["word", "number"], {"ckpt_to_load_from": "x"}, "Must specify both"),
    ],
)
def test_crossed_column_rejects_invalid_arguments(columns, options, message):
    sparse_columns = [layers.sparse_column_with_hash_bucket(name, 5) for name in columns]
    with pytest.raises(ValueError, match=message):
        layers.crossed_column(sparse_columns, **dict({"hash_bucket_size": 10}, **options))


def test_crossed_column_rejects_real_valued_columns():
    with pytest.raises(TypeError, match="columns must be a set of"):
        layers.crossed_column([layers.real_valued_column("a"), layers.sparse_column_with_hash_bucket("b", 5)], 10)


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feeds)


def features():
    return {
        "age": tf.constant([[10.0], [35.0], [60.0]]),
        "size": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "word": tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0]], ["b", "a", "c", "b"], [3, 2]),
        "number": tf.SparseTensor([[0, 0], [1, 0], [2, 0]], tf.constant([2, 0, 1], tf.int64), [3, 1]),
    }


def test_input_from_feature_columns_has_the_column_order_of_1_15():
    age = layers.real_valued_column("age")
    word = layers.sparse_column_with_keys("word", ["a", "b", "c"])
    number = layers.sparse_column_with_integerized_feature("number", 3)
    columns = [
        layers.real_valued_column("size", dimension=2, normalizer=lambda x: x / 2.0),
        layers.one_hot_column(word),
        age,
        layers.embedding_column(number, 2, initializer=tf.constant_initializer([[1.0, 2], [3, 4], [5, 6]])),
        layers.bucketized_column(age, [20.0, 50.0]),
    ]
    outputs = {}
    inputs = layers.input_from_feature_columns(features(), columns, cols_to_outs=outputs)
    assert len(outputs) == 5
    buckets, embedded, one_hot = np.eye(3), [[5, 6], [1, 2], [3, 4]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    expected = np.concatenate([buckets, embedded, one_hot, [[10], [35], [60]], np.arange(1, 7).reshape(3, 2) / 2], 1)
    np.testing.assert_allclose(run(inputs), expected, rtol=1e-6)


def test_hash_buckets_and_shared_embeddings():
    hashed = layers.sparse_column_with_hash_bucket("word", 5)
    counts = run(layers.input_from_feature_columns(features(), [layers.one_hot_column(hashed)]))
    buckets = run(tf.string_to_hash_bucket_fast(["b", "a", "c"], 5))
    expected = np.zeros([3, 5])
    for row, bucket in [(0, buckets[0]), (1, buckets[1]), (1, buckets[2]), (2, buckets[0])]:
        expected[row, bucket] += 1
    np.testing.assert_array_equal(counts, expected)
    columns = layers.shared_embedding_columns(
        [layers.sparse_column_with_integerized_feature("number", 3),
         layers.sparse_column_with_integerized_feature("other", 3)], 2,
    )  # fmt: skip
    tensors = dict(features(), other=features()["number"])
    first, second = np.split(run(layers.input_from_feature_columns(tensors, columns)), 2, axis=1)
    np.testing.assert_array_equal(first, second)


def test_weighted_sum_from_feature_columns():
    weighted = layers.weighted_sparse_column(layers.sparse_column_with_keys("word", ["a", "b", "c"]), "w")
    tensors = dict(features(), w=tf.SparseTensor(features()["word"].indices, [1.0, 2.0, 3.0, 4.0], [3, 2]))
    sums, variables, bias = layers.weighted_sum_from_feature_columns(
        tensors, [layers.real_valued_column("age"), weighted], num_outputs=1
    )
    assert len(variables) == 2 and bias.shape.as_list() == [1]
    weights = {1: [[0.5]], 3: [[1.0], [10.0], [100.0]]}  # rows -> values
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for column in variables.values():
            for variable in column:
                session.run(variable.assign(weights[variable.shape.as_list()[0]]))
        np.testing.assert_allclose(session.run(sums), [[15.0], [17.5 + 302.0], [70.0]], rtol=1e-6)


def test_feature_spec_parses_examples():
    columns = [layers.real_valued_column("age"), layers.sparse_column_with_integerized_feature("number", 3)]
    spec = layers.create_feature_spec_for_parsing(columns)
    assert isinstance(spec["age"], tf.FixedLenFeature) and isinstance(spec["number"], tf.VarLenFeature)
    example = tf.train.Example()
    example.features.feature["age"].float_list.value.append(3.0)
    example.features.feature["number"].int64_list.value.append(2)
    parsed = layers.parse_feature_columns_from_examples(tf.constant([example.SerializeToString()]), columns)
    by_name = {getattr(key, "name", key): value for key, value in parsed.items()}
    assert run(by_name["age"]).tolist() == [[3.0]]
    placeholders = layers.make_place_holder_tensors_for_base_features(columns)
    assert placeholders["age"].shape.as_list() == [None, 1]
    assert isinstance(placeholders["number"], tf.SparseTensor)


def test_infer_real_valued_columns_and_check_feature_columns():
    columns = layers.infer_real_valued_columns({"b": tf.ones([2, 3]), "a": tf.ones([2, 1])})
    assert [getattr(each, "key" if hasattr(each, "shape") else "column_name") for each in columns] == ["b", "a"]
    assert len(layers.infer_real_valued_columns(tf.ones([2, 4]))) == 1
    with pytest.raises(ValueError):
        layers.infer_real_valued_columns(tf.constant([["a"]]))
    with pytest.raises(ValueError, match="Duplicate"):
        layers.check_feature_columns([columns[0], columns[0]])
