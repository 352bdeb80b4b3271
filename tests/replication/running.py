"""Runs a script, as a function, with `run --towers`."""
from run.runtime import prepared

from legacy_towers.replication.script import TowerRuns


def run(function, folder, towers=None, keep="global", lines=None):
    """Runs a script; returns what it returns, and the lines that the towers printed.

    Args:
      function: the script, a function of (tf, folder).
      folder: where it may write.
      towers: how many; None: as on one device.
      keep: "global" or "per-tower".
      lines: the list to add the lines to, also where the script ends with an error.
    """
    lines = [] if lines is None else lines
    with prepared.script("--towers {}".format(towers) if towers else "") as (tf, script_run):
        runtime = script_run.runtime
        runtime.start()
        if towers:
            runtime.towers = TowerRuns(runtime.devices.tower_devices, keep, lines.append)
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            result = function(tf, str(folder))
        if towers:
            assert runtime.towers.plans, "nothing was replicated"
    return result, lines
