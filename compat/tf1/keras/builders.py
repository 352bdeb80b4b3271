"""The names of tf.keras that this package implements itself."""

# The names that build models. The others (datasets, utils, initializers, losses) are the same in Keras 3.
BUILDERS = ("Input", "Model", "Sequential", "layers", "models")
# Layers whose variables have the names of 1.15.
RECURRENT = ("RNN", "LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "StackedRNNCells")
# Classes below tf.keras whose positional arguments had another order in 1.15.
REORDERED = (
    "layers.Conv1D",
    "layers.Conv2D",
    "layers.Conv3D",
    "layers.Conv3DTranspose",
    "layers.DepthwiseConv2D",
    "layers.GRU",
    "layers.GRUCell",
    "layers.LSTM",
    "layers.LSTMCell",
    "layers.LayerNormalization",
    "losses.BinaryCrossentropy",
    "losses.CategoricalCrossentropy",
    "losses.SparseCategoricalCrossentropy",
    "metrics.SensitivityAtSpecificity",
    "metrics.SparseCategoricalCrossentropy",
    "metrics.SpecificityAtSensitivity",
    "preprocessing.image.DirectoryIterator",
    "preprocessing.image.ImageDataGenerator",
    "preprocessing.image.NumpyArrayIterator",
    "preprocessing.text.Tokenizer",
)
