"""What a run reports while it trains: metrics.jsonl, summaries, the port for Prometheus."""
