"""Sessions that run staged batches, and the staging threads of the process."""
import threading


def staging_threads():
    # A test runner may have a thread with the name of the test.
    return [thread for thread in threading.enumerate() if thread.name == "legacy_towers staging"]


def session_for(batches, **options):
    from legacy_towers.compat import tf

    return tf.train.MonitoredTrainingSession(
        hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 2}), **options
    )
