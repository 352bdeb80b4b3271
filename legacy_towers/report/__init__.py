"""From figures to what a person reads: tables, JSON, the HTML page."""
