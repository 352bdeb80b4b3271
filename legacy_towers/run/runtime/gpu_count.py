"""An upper bound of the number of GPUs, found without TensorFlow, which the script imports and may hide GPUs from.

Only TensorFlow knows which GPUs it sees. The operating system knows when there is none: a GPU is accessed through the
device files of its driver.
"""
import glob
import importlib.machinery
import os
import sys
from typing import Optional

_NVIDIA = "/dev/nvidia[0-9]*"
# Drivers without one device file per GPU: AMD, Windows Subsystem for Linux, NVIDIA Jetson.
_UNCOUNTED = ("/dev/kfd", "/dev/dxg", "/dev/nvhost*", "/dev/nvgpu*", "/dev/nvmap")
# The folder of pluggable device packages, which add other device types to TensorFlow.
_PLUGINS = "tensorflow-plugins"


def most_gpus() -> Optional[int]:
    """Returns the largest number of GPUs that TensorFlow may see; None if it is unknown."""
    if not sys.platform.startswith("linux") or any(glob.glob(pattern) for pattern in _UNCOUNTED):
        return None
    # Finds TensorFlow without importing it.
    tensorflow = importlib.machinery.PathFinder.find_spec("tensorflow")
    folders = list(tensorflow.submodule_search_locations or ()) if tensorflow is not None else []
    if any(os.path.isdir(os.path.join(os.path.dirname(folder), _PLUGINS)) for folder in folders):
        return None
    return len(glob.glob(_NVIDIA))
