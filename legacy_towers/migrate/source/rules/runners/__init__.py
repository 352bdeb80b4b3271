"""Rules of what starts, stops and initializes queues."""
