"""A GPU that the machine can't have is refused before the script begins; where that can't be known, later."""
import fnmatch
import glob
import os
import sys

import pytest
from oldtf.launch import here
from oldtf.launch.test_start import RUN, outcome, started
from oldtf.machine.prepared import parsed

from legacy_towers.errors import ArgumentError
from legacy_towers.oldtf.machine import drivers, options


def with_files(monkeypatch, *paths, platform="linux"):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(glob, "glob", lambda pattern: [path for path in paths if fnmatch.fnmatch(path, pattern)])


@pytest.mark.parametrize("paths, most", [
    ([], 0),
    (["/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm"], 2),
    (["/dev/kfd"], None),
    (["/dev/nvhost-gpu", "/dev/nvmap"], None),
])
def test_the_files_of_drivers_are_counted(monkeypatch, paths, most):
    with_files(monkeypatch, *paths)
    assert drivers.most_gpus() == most


def test_elsewhere_only_tensorflow_can_tell(monkeypatch):
    with_files(monkeypatch, platform="darwin")
    assert drivers.most_gpus() is None


def test_with_another_kind_of_device_only_tensorflow_can_tell(monkeypatch, tmp_path):
    with_files(monkeypatch)
    here.write(tmp_path, {"tensorflow/__init__.py": "", "tensorflow-plugins/x.so": ""})
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert drivers.most_gpus() is None


@pytest.mark.parametrize("words, most, said", [
    ("--towers-device /gpu:0", 0, "--towers-device /gpu:0: this machine has no GPU"),
    ("--towers-device /gpu:1", 1, "--towers-device /gpu:1: this machine has 1 GPU"),
    ("--towers-device /gpu:2", 2, "--towers-device /gpu:2: this machine has 2 GPUs"),
    ("--towers-device /gpu:1", 2, None),
    ("--towers-device /gpu:0", None, None),
    ("--towers-device /cpu:3", 0, None),
    ("", 0, None),
])
def test_a_missing_gpu_is_refused(monkeypatch, words, most, said):
    monkeypatch.setattr(drivers, "most_gpus", lambda: most)
    if said is None:
        options.refuse_missing_gpu(parsed(words))
        return
    with pytest.raises(ArgumentError) as error:
        options.refuse_missing_gpu(parsed(words))
    assert str(error.value) == said


@pytest.mark.skipif(drivers.most_gpus() != 0, reason="this machine may have a GPU")
def test_the_script_does_not_begin(tmp_path):
    here.write(tmp_path, {"script.py": "print('begun')\n"})
    code, out, err = outcome(started(tmp_path, RUN + ["--towers-device", "/gpu:0", "script.py"]))
    assert (code, out) == (2, "")
    assert err == "legacy-towers: error: --towers-device /gpu:0: this machine has no GPU\n"
    assert os.listdir(str(tmp_path)) == ["script.py"]
