"""Rules of readers, and of what is read by them."""
