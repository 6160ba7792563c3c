"""The catalogue of losses: it is consistent, and agrees with the C library."""

import numpy as np
import pytest

from toplabel._core import catalogue
from toplabel._core.catalogue import LOSSES
from toplabel._core.lib import check, ffi, lib


def test_the_catalogue_agrees_with_the_library():
    ids = ffi.typeof("tl_loss_id").elements
    assert [ids[i] for i in range(lib.TL_LOSS_COUNT)] == [
        f"TL_LOSS_{key.upper()}" for key in LOSSES
    ]
    for code, loss in enumerate(LOSSES.values()):
        traits = ffi.new("tl_traits *")
        check(lib.tl_loss_traits(code, traits))
        assert loss.labels in ("one", "set", "either")
        known = (loss.labels == "one", loss.top_k, not loss.smoothing, loss.convex)
        assert (traits.multiclass, traits.has_k, traits.smooth, traits.convex) == known, loss.key


def test_relatives_are_losses_with_the_same_labels():
    for loss in LOSSES.values():
        for other in (loss.at_one, loss.start):
            assert not other or LOSSES[other].labels == loss.labels, loss.key
        assert bool(loss.at_one) == loss.top_k, loss.key
        assert loss.convex or LOSSES[loss.start].convex, loss.key


def test_labels_take_the_parameters():
    assert LOSSES["topk_svm_alpha"].name(2, 1.0) == "top-2 SVM^{α}_{1}"
    assert LOSSES["svm_multi"].name(gamma=0.5) == "SVM^{Multi}_{0.5}"
    assert LOSSES["lr_multi"].name() == "LR^{Multi}"


def test_an_unknown_loss_is_named():
    with pytest.raises(ValueError, match=r"loss must be one of svm_ova, .*, got 'hinge'"):
        catalogue.get("hinge")
    with pytest.raises(ValueError, match=r"loss must be one of svm_ova, .*, got ndarray$"):
        catalogue.get(np.zeros((20, 3)))


def test_a_mistyped_loss_gets_the_nearest_names():
    with pytest.raises(ValueError, match="got 'svm_mutli'; did you mean 'svm_multi'"):
        catalogue.get("svm_mutli")
    with pytest.raises(ValueError, match=r"got 3$"):
        catalogue.get(3)
