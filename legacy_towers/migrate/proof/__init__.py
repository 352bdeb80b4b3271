"""Proves that converted queues give what the queues gave, by running both."""
