"""Reductions that change gradients, before or after the towers' gradients are reduced to one."""
