"""The package `keras` of 2016 to 2019 (Keras 2.0 to 2.3), implemented by tf.keras.

    import keras                                   the root of `tree`, legacy_towers.compat.tf1.importable.keras
    from keras.layers.convolutional import Conv2D  a module of `module_paths`, with names of tf.keras
"""
