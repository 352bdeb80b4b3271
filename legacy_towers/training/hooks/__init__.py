"""Session hooks of a training run, one per file; each works alone in a session of the user's own."""
