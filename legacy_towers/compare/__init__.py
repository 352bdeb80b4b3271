"""Which way in should a job use, and what does it win? Asked of `measure`, answered by `report`."""
