"""`legacy-towers doctor`: finds in a graph, and in the first steps of its script, what makes it slow or wrong.

`checks` has one check per file. `examine` runs them on a graph; `command` runs a script for some steps and examines
each graph that its sessions ran.
"""
