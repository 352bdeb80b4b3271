"""Whether several towers train on the same batch by mistake."""
from legacy_towers.graph.shared_batches.check import SharedBatch, check_distinct_batches, find_shared_batches

__all__ = ["SharedBatch", "check_distinct_batches", "find_shared_batches"]
