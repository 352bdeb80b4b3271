"""The global step of the latest checkpoint in a folder."""
from legacy_towers.compat.versions import tf

__all__ = ["latest_step"]


def latest_step(checkpoint_dir: str) -> int:
    """Returns the global step of the latest checkpoint in `checkpoint_dir`, 0 if there is none."""
    path = tf.train.latest_checkpoint(checkpoint_dir)
    if path is None:
        return 0
    reader = tf.train.load_checkpoint(path)
    if not reader.has_tensor(tf.GraphKeys.GLOBAL_STEP):
        return 0
    return int(reader.get_tensor(tf.GraphKeys.GLOBAL_STEP))
