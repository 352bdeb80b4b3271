"""The package `keras` as scripts of 2016 to 2019 imported it, served by the Keras that tf.keras is.

    import keras                                   what `tree` puts there, as legacy_towers.oldtf.keras
    from keras.layers.convolutional import Conv2D  a module of `places`, whose names are where Keras has them today
"""
