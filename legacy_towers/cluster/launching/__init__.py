"""Launching: starts the processes of a cluster, again after a failure, all on this machine or one on each machine."""
