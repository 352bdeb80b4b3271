"""What can describe a cluster, one source per file; importing this package registers them all."""
from legacy_towers.cluster.sources import hosts, mpi, slurm, tf_config  # noqa: F401
from legacy_towers.cluster.sources.registry import SOURCES as SOURCES
from legacy_towers.cluster.sources.registry import Options as Options
