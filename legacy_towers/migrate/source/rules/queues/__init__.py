"""Rules of the queues and staging areas that a script makes itself."""
