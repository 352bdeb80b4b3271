"""LMDB files: TensorFlow 1.15 reads them by tf.data, 2.x reads none."""
import base64
import zlib

import pytest
from queue_inputs import producer, run_to_end

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import lmdb_dataset
from legacy_towers.migrate import convert, prove

# A database with the keys "key 0" to "key 4" and the values "value 0" to "value 4", as the package lmdb writes it.
DATABASE = (
    "eNrt2D0KwkAQhuHZQNBurK1yhPwdwKukSKWtgnfJITyBWHgIK08geAQNmQ0MImhhrN6nmNn9GFjYbldkNB/q9XQ/BvHibtFPrOSj"
    "RyRfGueDAAAAAACAqYRJ3//hzTkmjT156fwDAAAAAADwe4lbLaXTm170rAftlLsBAAAAAOAfZkNNZd3us3rXbLZtVvussqzyWWlZ"
    "6bPCssJnuWX5E2QSOKc="
)
HAS_LMDB = tf.__version__.startswith("1.")


@pytest.fixture
def batch(tmp_path):
    path = tmp_path / "data.mdb"
    path.write_bytes(zlib.decompress(base64.b64decode(DATABASE)))
    with tf.Graph().as_default():
        key, value = tf.LMDBReader().read(producer([str(path)]))
        yield tf.train.batch([key, value], 4, allow_smaller_final_batch=True)


@pytest.mark.skipif(not HAS_LMDB, reason="TensorFlow 2 does not read LMDB")
def test_records_and_keys_come_in_their_order(batch):
    assert prove().pipelines[0].verdict == "proven"
    assert [plan.promise for plan in convert().plans] == ["same sequence"]
    numbers = [0, 1, 2, 3, 4] * 2
    expected = [("key %d" % number, "value %d" % number) for number in numbers]
    found = [pair for keys, values in run_to_end(batch) for pair in zip(keys, values)]
    assert [tuple(each.decode() for each in pair) for pair in found] == expected


@pytest.mark.skipif(HAS_LMDB, reason="TensorFlow 1.15 reads LMDB")
def test_it_stays_where_tensorflow_does_not_read_it(batch):
    assert lmdb_dataset("data.mdb") is None
    (plan,) = convert().plans
    assert plan.promise == "refused"
    assert plan.reason == "TensorFlow 2 does not read LMDB: write its records to TFRecord files"
