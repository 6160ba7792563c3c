"""What needs PyTorch says so where there is none."""

import importlib

import pytest


@pytest.mark.parametrize("name", ["toplabel.torch", "toplabel.features"])
def test_a_package_that_needs_pytorch_names_the_extra(name, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delitem(importlib.sys.modules, name, raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"{name} needs PyTorch: pip install") as caught:
        importlib.import_module(name)
    assert caught.value.name == "torch"
