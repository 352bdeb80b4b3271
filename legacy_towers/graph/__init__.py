"""Questions about a built graph or a session: walking, placement, shared batches, checks before a run."""
