"""User-facing errors. Each message says what is wrong and how to fix it.

The command line prints a `UserError` in one line, without a traceback, and exits with code 2.
"""


class UserError(Exception):
    """The base class of errors caused by arguments, options, files or the environment."""


class ArgumentError(UserError, ValueError):
    """An argument or option is out of range, unknown, or contradicts another."""


class EnvironmentProblem(UserError, ImportError):
    """TensorFlow, Python or a package that a feature needs is missing or unsupported."""


class DeviceError(UserError, ValueError):
    """A device does not exist, or a string does not name a device."""


class TowerError(UserError, ValueError):
    """The towers' variables, losses or gradients do not match."""


class InputError(UserError, ValueError):
    """An input pipeline, or a batch that is fed or read, does not match what the towers expect."""


class BatchKeyError(InputError, KeyError):
    """A model function reads a key that the batch does not have."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError prints the repr of its argument


class SessionError(UserError, RuntimeError):
    """A session is used in a way that the step does not allow: without its hooks, or to change a finalized graph."""


class JobError(UserError, ValueError):
    """A job, its file or its checkpoint can't be used."""


class ClusterError(UserError, ValueError):
    """The tasks of a cluster contradict each other, or what describes them contradicts itself or this machine."""


class RunError(Exception):
    """A run that has begun can't go on.

    The command line prints it in one line, without a traceback, and exits with code 1.
    """


class SaveError(RunError):
    """A checkpoint can't be written. The earlier ones are as they were."""


class RecordError(RunError, ValueError):
    """A record or a file of the data can't be read or parsed. The message names the file and the record.

    Where TensorFlow raises an error for it, such as tf.errors.DataLossError, it is an instance of that class too.
    """


class MissingTaskError(RunError):
    """A task of the cluster does not answer, or has ended."""


class StallError(RunError):
    """A step has taken too long, and the run is set to end then."""


class NanError(RunError):
    """A loss or a variable is NaN or infinite."""
