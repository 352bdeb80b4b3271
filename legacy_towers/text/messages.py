"""Parts of other libraries' error messages that are shown in ours."""


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message; the name of its type if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
