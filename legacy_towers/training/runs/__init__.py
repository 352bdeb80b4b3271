"""One run: its settings, the job as it is prepared and built, its session, its result."""
