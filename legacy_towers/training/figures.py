"""How a loss or metric is printed."""


def in_short(value: float) -> str:
    """Returns four decimals, or two digits and the exponent of what they would show as almost nothing."""
    return "{:.1e}".format(value) if 0.0 < abs(value) < 0.0001 else "{:.4f}".format(value)
