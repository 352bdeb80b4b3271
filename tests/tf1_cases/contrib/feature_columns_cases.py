"""Cases of the feature columns of tf.contrib.layers; see recorded_cases.

To record them again, on TensorFlow 1.15, from the folder tests/:

    python -m tf1_cases.contrib.feature_columns_cases
"""
import importlib
import sys

from tf1_cases import recorded_cases


def features(tf):
    words = [[0, 0], [1, 0], [1, 1], [2, 0], [3, 0]]
    return {
        "age": tf.constant([[10.0], [35.0], [60.0], [22.0]]),
        "size": tf.constant(recorded_cases.values([4, 2], "size")),
        "word": tf.SparseTensor(words, ["b", "a", "c", "b", "a"], [4, 2]),
        "weight": tf.SparseTensor(words, [1.0, 2.0, 3.0, 0.5, 0.25], [4, 2]),
        "mail": tf.SparseTensor([[0, 0], [1, 0], [3, 0], [3, 1]], ["p", "q", "q", "p"], [4, 2]),
        "number": tf.SparseTensor([[0, 0], [1, 0], [2, 0], [3, 0]], tf.constant([2, 0, 1, 2], tf.int64), [4, 1]),
    }


def columns(tf):
    layers = tf.contrib.layers
    age, size = layers.real_valued_column("age"), layers.real_valued_column("size", 2)
    word = layers.sparse_column_with_keys("word", ["a", "b", "c"], combiner="mean")
    mail = layers.sparse_column_with_hash_bucket("mail", 10)
    number = layers.sparse_column_with_integerized_feature("number", 3)
    buckets = layers.bucketized_column(age, [20.0, 50.0])
    crossed = layers.crossed_column([word, mail], 20, combiner="sqrtn")
    return {
        "age": age, "size": size, "word": word, "mail": mail, "number": number, "buckets": buckets, "crossed": crossed,
        "with buckets": layers.crossed_column([buckets, number, word], 15),
        "nested": layers.crossed_column([crossed, number], 12),
        "keyed": layers.crossed_column([word, mail], 30, hash_key=layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY),
        "weighted": layers.weighted_sparse_column(word, "weight"),
    }  # fmt: skip


def net(tf):
    layers, made = tf.contrib.layers, columns(tf)
    wanted = [made["age"], made["size"], made["buckets"], layers.one_hot_column(made["mail"])]
    wanted += [layers.embedding_column(made[name], 2) for name in ("word", "crossed", "with buckets", "weighted")]
    wanted += layers.shared_embedding_columns([made["number"]], 3, combiner="sum", shared_embedding_name="both")
    return {"net": layers.input_from_feature_columns(features(tf), wanted, ["mine"], scope="inputs")}


def sums(tf):
    wanted = columns(tf)
    wanted = [wanted[name] for name in sorted(wanted) if name not in ("nested", "keyed")]
    made, _, _ = tf.contrib.layers.weighted_sum_from_feature_columns(features(tf), wanted, 2, scope="linear")
    return {"sums": made}


def joint(tf):
    made = columns(tf)
    wanted = [made[name] for name in ("mail", "number", "keyed")]
    sums, _, _ = tf.contrib.layers.joint_weighted_sum_from_feature_columns(features(tf), wanted, 3)
    return {"sums": sums}


def crosses(tf):
    made, outputs = columns(tf), {}
    for names in (("crossed", "with buckets", "nested", "buckets", "age"), ("keyed",)):
        found = tf.contrib.layers.transform_features(features(tf), [made[name] for name in names])
        for name in names:
            value = found[made[name]]
            if isinstance(value, tf.SparseTensor):
                outputs[name + " ids"], outputs[name + " places"] = value.values, value.indices
    by_name = features(tf)
    place = "{}.contrib.layers.python.ops.sparse_feature_cross_op".format(tf.__name__)
    cross = importlib.import_module(place).sparse_feature_cross
    dense = tf.constant([[1, 2], [3, 4], [5, 6], [7, 8]])
    many = cross([by_name["number"], by_name["mail"], dense], hashed_output=True)
    words = cross([by_name["word"], by_name["mail"]])
    outputs["all bits"], outputs["shape"] = many.values, many.dense_shape
    outputs["lengths"] = tf.reduce_sum(tf.cast(tf.string_to_hash_bucket_fast(words.values, 1000), tf.int64))
    return outputs


def beyond(tf):
    """Uses integerized features with values that are not less than the number of buckets."""
    layers = tf.contrib.layers
    places = [[row, 0] for row in range(5)]
    given = {"number": tf.SparseTensor(places, tf.constant([0, 4, 5, 13, 7], tf.int64), [5, 1])}
    number = layers.sparse_column_with_integerized_feature("number", 5)
    twice = layers.crossed_column([number, layers.sparse_column_with_integerized_feature("number", 3)], 11)
    made, _, _ = layers.weighted_sum_from_feature_columns(given, [number, twice], 2)
    net = layers.input_from_feature_columns(given, [layers.one_hot_column(number), layers.embedding_column(number, 2)])
    return {"sums": made, "net": net, "ids": layers.transform_features(given, [number])[number].values}


CASES = {"beyond": beyond, "crosses": crosses, "joint": joint, "net": net, "sums": sums}


def main():
    recorded_cases.record("contrib_feature_columns", CASES)


if __name__ == "__main__":
    sys.exit(main())
