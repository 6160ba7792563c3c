"""The procedure of a study in words."""

from types import SimpleNamespace

from toplabel.reproduction.compare.procedure import procedure_of
from toplabel.reproduction.config.catalogue import Study
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import load_protocols


def entry(name, *parts, **more):
    files = tuple(RawFile(f"{name}_{part}.txt", part) for part in parts)
    fields = {"task": "multiclass", "protocol": "own", "format": "libsvm", "files": files}
    return Entry(**{"name": name, "title": name.capitalize()} | fields | more)


def test_sets_with_one_procedure_share_its_sentences(repository):
    catalogue = SimpleNamespace(
        registry={
            "a": entry("a", "all", repeats=10),
            "b": entry("b", "all", repeats=10),
            "c": entry("c", "train", "test", transform=None, bias=False, C_scale=None),
        },
        methods={
            "lr": Method("lr", "LR", "lr_multi"),
            "tree": Method(
                "tree",
                "tree",
                estimator="sklearn.tree.DecisionTreeClassifier",
                grid={"max_depth": (1, 3)},
            ),
        },
        protocols=load_protocols(repository / "config/protocols.yaml"),
    )
    study = Study(name="s", title="S", datasets=("a", "b", "c"), methods=("lr", "tree"))
    text = procedure_of(study, catalogue, "standard")
    first, second = text.split(" C: ")
    assert first.startswith(
        "A and B: nested cross-validation with 5 folds, stratified by the classes"
    )
    assert "drawn 10 times" in first
    assert "LR C in 10^{-3}, ..., 10^{3}, relative to the mean squared norm" in first
    assert "tree max_depth in {1, 3}" in first
    assert "by 5-fold cross-validation" in first
    assert second.startswith("models are trained and tested on the parts of one split.")
    assert "Features are not transformed." in second
