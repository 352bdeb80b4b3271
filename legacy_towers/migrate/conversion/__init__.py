"""The queues of a graph as datasets, in the graph itself."""
