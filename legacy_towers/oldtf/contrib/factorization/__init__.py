"""tf.contrib.factorization: clusters of points."""
from legacy_towers.oldtf.contrib.factorization.clustering import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from legacy_towers.oldtf.contrib.factorization.gmm import GMM
from legacy_towers.oldtf.contrib.factorization.kmeans import KMeansClustering
from legacy_towers.oldtf.contrib.factorization.mixture import GmmAlgorithm, gmm

__all__ = [
    "COSINE_DISTANCE",
    "GMM",
    "GmmAlgorithm",
    "KMEANS_PLUS_PLUS_INIT",
    "KMeans",
    "KMeansClustering",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "gmm",
]
