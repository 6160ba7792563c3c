"""VOC 2007 and COCO through the real stages, on annotations and features of regions that are made
up.

Seeded, of the registered form, and marked as not those of the papers; never beside published
numbers.
"""

import json
import tarfile

import numpy as np
import pytest
from running import ROOT, call_script, read_rows, smoke_plan, snakemake

from toplabel.reproduction.data.locate import NOT_COMPARABLE
from toplabel.reproduction.workflow.cells import Cell

pytestmark = pytest.mark.workflow

LABELS = ["bicycle", "bus", "cat", "dog", "person", "sheep", "tvmonitor"]
CELLS = [
    Cell("coco", "svm_multi_smooth"),
    Cell("voc2007", "svm_ml_smooth"),
    Cell("voc2007", "topk_svm_beta_smooth"),
]
SIZES = {"train": 60, "test": 40}
D = 6


def _scenes(part, some_empty=False):
    """Objects of each image: (class, width); the first image of COCO has none."""
    rng = np.random.default_rng(len(part))
    images = []
    for _ in range(SIZES[part]):
        chosen = rng.permutation(len(LABELS))[: rng.integers(1, 4)]
        images.append([(int(label), int(rng.integers(5, 200))) for label in chosen])
    if some_empty:
        images[0] = []
    return images


def _features(images, names, path):
    """A row an object, around the centre of its class, and one of the background an image."""
    rng = np.random.default_rng(7)
    centres = 3 * np.random.default_rng(99).standard_normal((len(LABELS), D))
    rows, image = [], []
    for i, objects in enumerate(images):
        rows += [centres[label] + rng.standard_normal(D) for label, _ in objects]
        rows.append(rng.standard_normal(D))
        image += [i] * (len(objects) + 1)
    np.savez(path, X=np.float32(rows), image=np.array(image), images=np.array(names))


def _xml(objects):
    found = "".join(
        f"<object><name>{LABELS[label]}</name><difficult>0</difficult><bndbox><xmin>1</xmin>"
        f"<ymin>1</ymin><xmax>{width}</xmax><ymax>9</ymax></bndbox></object>"
        for label, width in objects
    )
    return f"<annotation>{found}</annotation>"


def _write_voc(raw):
    for part, archive in (("train", "VOCtrainval_06-Nov-2007"), ("test", "VOCtest_06-Nov-2007")):
        images = _scenes(part)
        names = [f"{i:06d}" for i in range(len(images))]
        _features(images, names, raw / f"{part}.npz")
        folder = raw / "made" / part / "VOCdevkit/VOC2007/Annotations"
        folder.mkdir(parents=True)
        for name, objects in zip(names, images, strict=True):
            (folder / f"{name}.xml").write_text(_xml(objects))
        with tarfile.open(raw / f"{archive}.tar", "w") as tar:
            tar.add(raw / "made" / part / "VOCdevkit", arcname="VOCdevkit")


def _write_coco(raw):
    for part, year in (("train", "train2014"), ("test", "val2014")):
        images = _scenes(part, some_empty=part == "train")
        numbers = [1000 - 3 * i for i in range(len(images))]
        _features(images, numbers, raw / f"{part}.npz")
        annotations = [
            {"image_id": number, "category_id": label + 1, "bbox": [0, 0, width, 9]}
            for number, objects in zip(numbers, images, strict=True)
            for label, width in objects
        ]
        document = {
            "images": [{"id": number} for number in numbers],
            "annotations": annotations,
            "categories": [{"id": j + 1, "name": name} for j, name in enumerate(LABELS)],
        }
        (raw / f"instances_{year}.json").write_text(json.dumps(document))


@pytest.fixture(scope="module")
def rehearsal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenes")
    for name, write in (("voc2007", _write_voc), ("coco", _write_coco)):
        raw = folder / "data/raw" / name
        raw.mkdir(parents=True)
        write(raw)
        (raw / NOT_COMPARABLE).write_text("synthetic features, seed 7\n", encoding="utf-8")
    done = snakemake(*(cell.path("evaluation.csv") for cell in CELLS), directory=folder)
    assert done.returncode == 0, done.stdout[-5000:]
    return folder


def test_every_metric_of_the_tables_is_measured(rehearsal):
    for cell in CELLS:
        found = {row["metric"]: row for row in read_rows(rehearsal / cell.path("evaluation.csv"))}
        table = "tpami2017_table12" if cell.dataset == "coco" else "tpami2017_table11"
        printed = {row["metric"] for row in read_rows(ROOT / f"data/published/{table}.csv")}
        assert printed - {"r_at_10"} <= set(found)
        assert ("r_at_10" in found) == (cell.dataset == "voc2007")  # the other has 7 classes
        assert all(row["status"] == "converged" for row in found.values())
        assert float(found["map"]["value"]) > 60
        assert float(found["rank_loss"]["value"]) < 0.25
        ks = {row["selected_k"] for row in found.values()}
        assert ks <= ({"2.0", "3.0", "4.0", "5.0"} if "topk" in cell.method else {""})
    assert "ap_bike" in found
    assert "ap_tv" in found


def test_nothing_stands_beside_a_published_number(rehearsal):
    outputs = {name: str(rehearsal / f"{name}.csv") for name in ("evaluation", "comparison")}
    paths = [str(rehearsal / cell.path("evaluation.csv")) for cell in CELLS]
    call_script(
        *("compare_published", rehearsal),
        input={"evaluations": paths, "others": []},
        output=outputs,
    )
    assert not any(row["measured"] for row in read_rows(outputs["comparison"]))
    kept = [row for row in read_rows(outputs["comparison"]) if row["dataset"] == "voc2007"]
    assert {row["reason"] for row in kept} == {"not compared: synthetic features, seed 7"}


def test_while_features_are_missing_the_reason_names_the_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    plan = smoke_plan()
    reason = plan.reason_missing("voc2007")
    assert "train.npy (or .h5, or train.npz)" in reason
    assert "VOCtrainval_06-Nov-2007.tar" in reason
    assert "instances_train2014.json" in plan.reason_missing("coco")
