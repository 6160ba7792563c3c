"""Kernels: Gram matrices between rows, dense or sparse."""

from toplabel._core.kernels import between, cross_gram, gram, rbf_gram

__all__ = ["between", "cross_gram", "gram", "rbf_gram"]
