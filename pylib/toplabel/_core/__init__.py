"""Base of the public modules: arrays, the C library, training along a path. No part of the
interface.
"""
