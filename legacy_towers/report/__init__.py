"""Reports a comparison as text, JSON and an HTML page."""
