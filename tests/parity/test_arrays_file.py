"""Files of named arrays of different dtypes."""
import os

import numpy as np
import pytest

from legacy_towers.errors import InputError
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


class Executes:
    """Creates a file when it is unpickled."""

    def __reduce__(self):
        return (os.mkdir, ("executed",))


def pickled(path):
    with open(path, "wb") as target:
        np.savez(target, **{"0|name": np.frombuffer(b"a", np.uint8), "0": np.array([Executes()], object)})


def truncated(path):
    write_arrays(path, {"a": np.arange(1000)})
    os.truncate(path, os.path.getsize(path) // 2)


def changed(path):
    write_arrays(path, {"a": np.arange(1000)})
    with open(path, "r+b") as target:
        target.seek(600)
        target.write(b"damaged")


def without_an_array(path):
    with open(path, "wb") as target:
        np.savez(target, **{"7|name": np.frombuffer(b"a", np.uint8)})


def one_array(path):
    with open(path, "wb") as target:
        np.save(target, np.zeros(3))


@pytest.mark.parametrize("damage", [
    pickled, truncated, changed, without_an_array, one_array, lambda path: open(path, "wb").close(), lambda path: None,
], ids=["pickled", "truncated", "changed", "without an array", "one array", "empty", "missing"])
def test_a_damaged_file_is_an_error_that_names_it_and_nothing_in_it_is_executed(damage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    damage("arrays.npz")
    with pytest.raises(InputError, match="^arrays.npz can't be read, or is damaged: "):
        read_arrays("arrays.npz")
    assert not os.path.exists("executed")
