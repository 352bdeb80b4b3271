"""Input pipelines that wrap others: staging, switching between training and validation, a validation tower."""
