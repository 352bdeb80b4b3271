"""Devices, graphs and sessions of a script: what it asks for, and what this machine gives."""
