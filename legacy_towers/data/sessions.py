"""Sessions that read data beside the training session."""
from legacy_towers.compat import tf
from legacy_towers.tensor_types import Graph, Session


def own_session(graph: Graph) -> Session:
    """Returns a session for reading data beside the training session.

    It has no GPU, one CPU device and its own threads: the first session of a process decides which GPU memory and
    threads the later ones get, and that has to be the training session.
    """
    config = tf.ConfigProto(device_count={"CPU": 1, "GPU": 0}, use_per_session_threads=True)
    return tf.Session(graph=graph, config=config)
