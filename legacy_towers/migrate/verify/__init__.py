"""Verifies a rewriting: runs a command before and after it, and compares what its sessions read and compute."""
