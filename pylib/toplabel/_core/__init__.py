"""What the public modules share: arrays, the C library, training along a path. No part of the
interface.
"""
