"""A parameter server of a training run: it starts with the workers, and ends when they have."""
import os
import tempfile

from legacy_towers.cluster.finished import serve
from legacy_towers.config import session_config
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.runs.workers import ClusterOfRun, common_flags
from legacy_towers.training.settings import TrainSettings, check_settings


def serve_run(cluster: ClusterOfRun, settings: TrainSettings) -> None:
    """Serves the variables of a run until all workers have finished.

    Raises:
      UserError: the settings are wrong, or the tasks contradict each other, or one is missing.
    """
    check_settings(settings)
    directory = settings.checkpoint_dir
    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as empty:
        store = CheckpointStore(directory if directory and os.path.isdir(directory) else empty)
        server = cluster.start(session_config(), common_flags(settings, store.newest().step))
    serve(cluster.cluster, server)
