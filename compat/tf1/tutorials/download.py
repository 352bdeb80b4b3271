"""The function of tf.contrib.learn.datasets that downloads a file."""
import os
import shutil
import urllib.request

from legacy_towers.compat.versions import tf


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Returns the path of `filename` in `work_directory`; downloads it from `source_url` if it does not exist.

    Raises:
      OSError: the download failed.
    """
    tf.gfile.MakeDirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not tf.gfile.Exists(path):
        # Written under a temporary name, so that an interrupted download leaves no broken file.
        with urllib.request.urlopen(source_url) as source, tf.gfile.GFile(path + ".part", "wb") as file:
            shutil.copyfileobj(source, file)
        tf.gfile.Rename(path + ".part", path, overwrite=True)
        print("Successfully downloaded", filename, tf.gfile.Stat(path).length, "bytes.")
    return path
