"""Write the variables: apply reduced gradients, run update ops, update moving averages."""
from legacy_towers.update.apply import apply_own, apply_reduced
from legacy_towers.update.update_ops import UPDATE_OPS_POLICIES, combine_update_ops

__all__ = ["UPDATE_OPS_POLICIES", "apply_own", "apply_reduced", "combine_update_ops"]
