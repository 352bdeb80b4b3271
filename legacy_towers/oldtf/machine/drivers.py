"""How many GPUs there can be at most, told without TensorFlow: the script imports it first, and may hide GPUs before.

Which ones TensorFlow will see only TensorFlow knows. That there is none, the system knows: without the files of a
driver nothing can reach a GPU.
"""
import glob
import importlib.machinery
import os
import sys
from typing import Optional

_NVIDIA = "/dev/nvidia[0-9]*"
# Files of drivers that give no file to each GPU: AMD's, that of Linux within Windows, those of NVIDIA's small boards.
_UNCOUNTED = ("/dev/kfd", "/dev/dxg", "/dev/nvhost*", "/dev/nvgpu*", "/dev/nvmap")
# Where packages lie that teach TensorFlow another kind of device.
_PLUGINS = "tensorflow-plugins"


def most_gpus() -> Optional[int]:
    """Returns how many GPUs TensorFlow can see at most; None where that can't be told."""
    if not sys.platform.startswith("linux") or any(glob.glob(pattern) for pattern in _UNCOUNTED):
        return None
    # Found, not imported.
    tensorflow = importlib.machinery.PathFinder.find_spec("tensorflow")
    folders = list(tensorflow.submodule_search_locations or ()) if tensorflow is not None else []
    if any(os.path.isdir(os.path.join(os.path.dirname(folder), _PLUGINS)) for folder in folders):
        return None
    return len(glob.glob(_NVIDIA))
