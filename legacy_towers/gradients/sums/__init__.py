"""Reductions of the towers' gradients to one: sums, trees and all-reduces."""
