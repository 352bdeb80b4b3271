"""Is it the same? Between ways in (data and losses), and between two TensorFlows (variables, gradients, losses)."""
