"""tf.contrib.factorization: k-means clustering and Gaussian mixtures."""
from legacy_towers.compat.tf1.contrib.factorization.clustering import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from legacy_towers.compat.tf1.contrib.factorization.kmeans import KMeansClustering
from legacy_towers.compat.tf1.contrib.factorization.mixture import GmmAlgorithm, gmm

__all__ = [
    "COSINE_DISTANCE",
    "GmmAlgorithm",
    "KMEANS_PLUS_PLUS_INIT",
    "KMeans",
    "KMeansClustering",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "gmm",
]
