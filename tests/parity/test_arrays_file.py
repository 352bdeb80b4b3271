"""Files of named arrays of different dtypes."""
import numpy as np
import pytest

from legacy_towers.parity.arrays_file import read_arrays, write_arrays


def test_read_arrays_returns_the_written_arrays_in_their_order(tmp_path):
    strings = np.array([[b"", b"a\x00"], [b"\x00\x00", b"\xff"]], object)
    arrays = {
        "tower 0/image": np.arange(6, dtype=np.float32).reshape(2, 3),
        "3/an/ünusual|name": np.array(5, np.int64),
        "strings": strings,
        "empty": np.zeros([0, 2], np.float16),
        "truth": np.array([True, False]),
    }
    path = str(tmp_path / "arrays.npz")
    write_arrays(path, arrays)
    found = read_arrays(path)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = str(tmp_path / "arrays.npz")
    write_arrays(path, {"a": np.zeros(1)})
    with pytest.raises(TypeError):
        write_arrays(path, {"a": np.array(["text"], object)})
    np.testing.assert_array_equal(read_arrays(path)["a"], np.zeros(1))
