"""Rules of the queues of file names, slices and numbers."""
