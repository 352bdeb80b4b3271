"""What an old script would miss, found without running it.

`uses` reads one file and follows TensorFlow's names through it; `exported` follows them from file to file; `status`
asks the tree about each; `project` does it for a file or a folder; `words` says it.
"""
