"""Input pipelines with queues and queue runners."""
