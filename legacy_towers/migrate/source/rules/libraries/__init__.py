"""Rules of libraries whose functions make queues."""
