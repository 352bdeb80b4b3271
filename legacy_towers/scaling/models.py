"""The models that `calibrate` trains."""

# name -> the number of variables, the float32 values of each, the timed steps. "many" has gradients that are reduced
# one by one, since they are larger than those that are reduced together.
MODELS = {"tiny": (1, 1, 150), "large": (1, 1 << 22, 12), "many": (16, 66000, 25)}
ONE_PROCESS = "one process"
# Before the JSON that worker 0 prints.
RESULT_PREFIX = "measured "
