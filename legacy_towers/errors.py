"""What goes wrong by the caller's hand: each error is one clear sentence that says what to do.

The command line prints a `UserError` without a traceback and ends with exit code 2.
"""


class UserError(Exception):
    """A mistake that its message explains in full: what is wrong, where, and what to do."""


class ArgumentError(UserError, ValueError):
    """An argument or option is out of range, unknown, or contradicts another."""


class EnvironmentProblem(UserError, ImportError):
    """TensorFlow, Python or a package that a feature needs is missing or unsupported."""


class DeviceError(UserError, ValueError):
    """A device was asked for that does not exist."""


class TowerError(UserError, ValueError):
    """The towers' graphs don't fit together: variables, losses or gradients."""


class InputError(UserError, ValueError):
    """What was fed or read does not fit what the towers expect."""


class JobError(UserError, ValueError):
    """A job file can't be used as it is."""
