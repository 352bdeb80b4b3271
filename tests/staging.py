"""Sessions that run staged batches, and the staging threads of the process."""
import threading


def staging_threads():
    return [thread for thread in threading.enumerate() if "staging" in thread.name]


def staging_threads_since(before):
    """Returns the staging threads that are not among `before`."""
    return [thread for thread in staging_threads() if thread not in before]


def session_for(batches, **options):
    from legacy_towers.compat import tf

    return tf.train.MonitoredTrainingSession(
        hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 2}), **options
    )
