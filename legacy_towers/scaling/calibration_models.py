"""The models that `calibrate` trains, and what its processes agree on."""
from typing import NamedTuple


class CalibrationModel(NamedTuple):
    """One model, and how long it is trained.

    Attributes:
      variables: the number of variables.
      values: the number of float32 values of each variable.
      steps: the number of timed steps.
    """

    variables: int
    values: int
    steps: int

    @property
    def bytes(self) -> int:
        """The bytes of all variables."""
        return 4 * self.variables * self.values


# "many" has gradients that are reduced one by one, since they are larger than those that are reduced together.
MODELS = {
    "tiny": CalibrationModel(1, 1, 150), "large": CalibrationModel(1, 1 << 22, 12),
    "many": CalibrationModel(16, 66000, 25),
}
ONE_PROCESS = "one process"
# Before the JSON that worker 0 prints.
RESULT_PREFIX = "measured "
