"""The names of compat/tf1/core, which 2.x dropped or changed."""
import sys

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import known_names, tree
from legacy_towers.compat.tf1 import symbols as all_symbols
from legacy_towers.compat.tf1.core import symbols

view = tree.module("tensorflow")


@pytest.mark.parametrize("row", symbols.SYMBOLS, ids=lambda row: row.name)
def test_every_target_can_be_loaded(row):
    assert all_symbols.load(row.target) is not None


@pytest.mark.parametrize("name", sorted(symbols.UNSUPPORTED))
def test_unsupported_names_are_names_of_1_15(name):
    if name != "tensorflow.contrib.lite":  # removed before 1.15
        assert known_names.is_name_of_1_15(name)


def test_the_version_of_the_view_is_1_15():
    assert view.__version__ == view.VERSION == view.version.VERSION == "1.15.5"
    assert view.keras.__version__ == "2.2.4-tf"
    assert [int(part) for part in view.__version__.split(".")][:2] == [1, 15]
    if not tree.is_1_15():
        assert tf.__version__ != view.__version__


def test_argmax_accepts_a_numpy_integer_as_axis():
    with tf.Session() as session:
        values = tf.constant([[1.0, 3.0], [2.0, 0.0]])
        found = view.argmax(values, axis=np.int64(1)), view.argmax(values, np.int32(0)), view.math.argmax(values, 1)
        assert np.array(session.run(found)).tolist() == [[1, 0], [1, 0], [1, 0]]


def test_truncatediv_rounds_integers_only():
    with tf.Session() as session:
        found = session.run([view.truncatediv([1.0, -3.0], [2.0, 2.0]), view.truncatediv([1, -3], [2, 2])])
    assert [each.tolist() for each in found] == [[0.5, -1.5], [0, -1]]


def test_parse_flags_reads_the_command_line(monkeypatch, recwarn):
    monkeypatch.setattr(sys, "argv", ["train.py", "--rate_of_this_test=0.5", "--noverbose_of_this_test"])
    flags = view.app.flags
    flags.DEFINE_float("rate_of_this_test", 0.1, "")
    flags.DEFINE_boolean("verbose_of_this_test", True, "")
    flags.FLAGS._parse_flags()
    assert flags.FLAGS.rate_of_this_test == 0.5 and flags.FLAGS.verbose_of_this_test is False
    flags.FLAGS.rate_of_this_test = 2.0
    assert view.flags.FLAGS.rate_of_this_test == tf.flags.FLAGS.rate_of_this_test == 2.0
    assert "rate_of_this_test" in flags.FLAGS.__flags
    assert flags.FLAGS["rate_of_this_test"].value == 2.0
    assert any("FLAGS._parse_flags" in str(each.message) for each in recwarn)


def test_a_script_may_define_a_flag_that_absl_defines(monkeypatch, recwarn):
    from absl import logging  # noqa: F401  (it defines the flag log_dir)

    monkeypatch.setattr(sys, "argv", ["train.py", "--log_dir=here"])
    view.app.flags.DEFINE_string("log_dir", "there", "where summaries go")
    expected = "the flag --log_dir of absl.logging: interpreted as that of the script"
    assert any(expected in str(each.message) for each in recwarn)
    tf.flags.FLAGS(sys.argv)
    assert view.flags.FLAGS.log_dir == "here"
    assert tf.flags.FLAGS.find_module_defining_flag("log_dir") == __name__
    with pytest.raises(view.flags.DuplicateFlagError):
        view.flags.DEFINE_string("verbosity", "", "absl reads this one as it runs")


def test_a_script_can_not_define_a_flag_twice():
    view.flags.DEFINE_integer("once_in_this_test", 1, "")
    with pytest.raises(view.flags.DuplicateFlagError):
        exec("define('once_in_this_test', 2, '')", {"define": view.flags.DEFINE_integer, "__name__": "other"})


def test_scalar_vector_and_matrix_shapes():
    tensor_shape = tree.module("tensorflow.python.framework.tensor_shape")
    assert tensor_shape.scalar().as_list() == []
    assert tensor_shape.vector(3).as_list() == [3] and tensor_shape.matrix(2, None).as_list() == [2, None]


def test_private_names_have_the_api_of_1_x():
    from_string = tree.module("tensorflow.python.framework.device").DeviceSpec.from_string
    outer = from_string("/job:worker")
    outer.merge_from(from_string("/gpu:1"))  # 2.x only has make_merged_spec
    assert outer.to_string() == "/job:worker/device:GPU:1"
    data = tree.module("tensorflow.python.data")
    element = data.Dataset.from_tensor_slices([7]).make_one_shot_iterator().get_next()
    with view.Session() as session:
        assert session.run(element) == 7


def test_int64_list_accepts_booleans():
    from legacy_towers.compat.tf1.core.examples import Int64List

    made = Int64List(value=[True, np.bool_(False), 3, np.int64(4)])
    assert list(made.value) == [1, 0, 3, 4] and isinstance(made, Int64List) and isinstance(made, tf.train.Int64List)
    assert list(tf.train.Feature(int64_list=made).int64_list.value) == [1, 0, 3, 4]
    assert Int64List.FromString(made.SerializeToString()) == made and list(Int64List().value) == []
    assert not isinstance(3, Int64List)


def test_experimental_list_devices_has_the_cpu():
    assert any("CPU:0" in name for name in view.config.experimental_list_devices())


@pytest.mark.filterwarnings("ignore")
def test_latency_stats_returns_the_dataset_unchanged():
    dataset = view.data.Dataset.range(3).apply(view.data.experimental.latency_stats("x"))
    element = dataset.make_one_shot_iterator().get_next()
    with view.Session() as session:
        assert session.run(element) == 0
