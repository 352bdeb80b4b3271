"""A --towers-device that the machine lacks is rejected before the script starts, if the number of GPUs is known."""
import fnmatch
import glob
import os
import sys

import pytest
from run import here
from run.runtime.prepared import parsed
from run.test_start import RUN, outcome, started

from legacy_towers.errors import ArgumentError
from legacy_towers.run.runtime import gpu_count, options


def set_device_files(monkeypatch, *paths, platform="linux"):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(glob, "glob", lambda pattern: [path for path in paths if fnmatch.fnmatch(path, pattern)])


@pytest.mark.parametrize("paths, most", [
    ([], 0),
    (["/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm"], 2),
    (["/dev/kfd"], None),
    (["/dev/nvhost-gpu", "/dev/nvmap"], None),
])
def test_device_files_are_counted(monkeypatch, paths, most):
    set_device_files(monkeypatch, *paths)
    assert gpu_count.most_gpus() == most


def test_the_number_is_unknown_on_other_platforms(monkeypatch):
    set_device_files(monkeypatch, platform="darwin")
    assert gpu_count.most_gpus() is None


def test_the_number_is_unknown_with_pluggable_devices(monkeypatch, tmp_path):
    set_device_files(monkeypatch)
    here.write(tmp_path, {"tensorflow/__init__.py": "", "tensorflow-plugins/x.so": ""})
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert gpu_count.most_gpus() is None


@pytest.mark.parametrize("arguments, most, expected", [
    ("--towers-device /gpu:0", 0, "--towers-device /gpu:0: this machine has no GPU"),
    ("--towers-device /gpu:1", 1, "--towers-device /gpu:1: this machine has 1 GPU"),
    ("--towers-device /gpu:2", 2, "--towers-device /gpu:2: this machine has 2 GPUs"),
    ("--towers-device /gpu:1", 2, None),
    ("--towers-device /gpu:0", None, None),
    ("--towers-device /cpu:3", 0, None),
    ("", 0, None),
])
def test_a_missing_gpu_is_rejected(monkeypatch, arguments, most, expected):
    monkeypatch.setattr(gpu_count, "most_gpus", lambda: most)
    if expected is None:
        options.refuse_missing_gpu(parsed(arguments))
        return
    with pytest.raises(ArgumentError) as error:
        options.refuse_missing_gpu(parsed(arguments))
    assert str(error.value) == expected


@pytest.mark.skipif(gpu_count.most_gpus() != 0, reason="this machine may have a GPU")
def test_the_script_does_not_start(tmp_path):
    here.write(tmp_path, {"script.py": "print('begun')\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["--towers-device", "/gpu:0", "script.py"]))
    assert (code, out) == (2, "")
    assert err == "legacy-towers: error: --towers-device /gpu:0: this machine has no GPU\n"
    assert os.listdir(str(tmp_path)) == ["script.py"]
