"""What an old script would miss, found without running it.

`uses` reads one file and follows TensorFlow's names through it; `scopes` knows what a name may be, `conditions` which
branches are taken, `values` what they compare; `status` asks the tree about each name; `project` does it for a file or
a folder, from file to file; `words` says it.
"""
