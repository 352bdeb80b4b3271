"""Heads: from logits and labels to predictions, losses, metrics and a train op."""
