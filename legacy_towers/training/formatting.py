"""Formats losses and metrics."""


def format_number(value: float) -> str:
    """Returns a number with four decimals, or, where its magnitude is below 0.0001, two digits and an exponent."""
    return "{:.1e}".format(value) if 0.0 < abs(value) < 0.0001 else "{:.4f}".format(value)
