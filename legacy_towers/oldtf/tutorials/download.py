"""Downloads a file, as tf.contrib.learn.datasets did."""
import os
import shutil
import urllib.request

from legacy_towers.compat import tf


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of `filename` in `work_directory`, downloaded from `source_url` where it is not there.

    Raises:
      OSError: the download failed.
    """
    tf.gfile.MakeDirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not tf.gfile.Exists(path):
        # A name of its own until it is whole.
        with urllib.request.urlopen(source_url) as source, tf.gfile.GFile(path + ".part", "wb") as file:
            shutil.copyfileobj(source, file)
        tf.gfile.Rename(path + ".part", path, overwrite=True)
        print("Successfully downloaded", filename, tf.gfile.Stat(path).length, "bytes.")
    return path
