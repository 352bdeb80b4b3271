"""The names of tf.keras that this package implements itself."""

# The names that build models. The others (datasets, utils, initializers, losses) are the same in Keras 3.
BUILDERS = ("Input", "Model", "Sequential", "layers", "models")
# Layers whose variables have the names of 1.15.
RECURRENT = ("RNN", "LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "StackedRNNCells")
