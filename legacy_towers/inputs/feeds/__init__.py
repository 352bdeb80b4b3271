"""Input pipelines with feed_dict."""
