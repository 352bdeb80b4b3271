"""Input pipelines over tensors, datasets and placeholders that exist already."""
