"""Measures and compares the input pipelines, strategies and reductions of a job: `legacy-towers compare`."""
