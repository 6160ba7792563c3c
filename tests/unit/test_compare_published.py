"""The published numbers: all of them are read, and a damaged file is refused."""

import math
from fractions import Fraction

import pytest

from toplabel.reproduction.compare.published import load_published, load_texts
from toplabel.reproduction.config.keys import published_tables

HEADER = "source,table,dataset,features,method,k,gamma,kernel,metric,value,std\n"
ROW = "tpami2017,5,letter,,svm_multi,,0,linear,top1,76.5,\n"


@pytest.fixture(scope="module")
def published(repository):
    return load_published(repository / "data/published")


@pytest.fixture
def folder(tmp_path):
    """Write tpami2017_table05.csv with the given text and return its folder."""

    def write(text):
        (tmp_path / "tpami2017_table05.csv").write_text(text)
        return tmp_path

    return write


def test_all_cells_are_read(published, repository):
    counts = published.groupby(["source", "table"]).size()
    assert counts["tpami2017", "5"] == 676
    assert counts["tpami2017", "7"] == 553
    assert counts["nips2012", "2"] == 54
    assert len(counts) == len(published_tables(repository / "data/published"))


def test_numbers_keep_their_printed_form(published):
    cell = published[
        (published["source"] == "tpami2017")
        & (published["dataset"] == "letter")
        & (published["method"] == "svm_ova")
        & (published["metric"] == "top1")
    ]
    assert cell["printed"].tolist() == ["63.0"]
    assert cell["value"].tolist() == [63.0]
    assert published["value"].between(0, 100).all()


def test_rank_and_hamming_losses_are_fractions(published):
    losses = published[published["metric"].str.endswith("_loss")]
    assert len(losses) > 0
    assert losses["value"].between(0, 1).all()


def test_every_table_has_a_title(repository):
    texts = load_texts(repository / "data/published/tables.csv")
    assert set(texts) == set(published_tables(repository / "data/published").values())
    assert all(text.title and text.caption for text in texts.values())


def test_the_row_order_is_that_of_the_file(folder):
    frame = load_published(folder(HEADER + ROW.replace("top1", "top3") + ROW))
    assert frame["metric"].tolist() == ["top3", "top1"]


def test_only_references_may_repeat(folder):
    reference = ROW.replace("svm_multi", "reference")
    assert len(load_published(folder(HEADER + reference + reference))) == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (HEADER + ROW + ROW.replace("76.5", "7x.5"), ":3: '7x.5'"),
        (HEADER + ROW.replace("76.5", ""), ":2: value"),
        (HEADER + ROW.replace("letter", ""), ":2: dataset"),
        (HEADER + ROW.replace(",0,", ",zero,"), ":2: gamma"),
        (HEADER + ROW.replace("2017,5", "2017,6"), ":2: source and table"),
        (HEADER + ROW + ROW, ":3: "),
        (HEADER.replace(",metric", ",measure") + ROW, ": the column 'metric'"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line_with_its_place(folder, text, place):
    with pytest.raises(ValueError, match=f"^.*table05.csv{place}.*$"):
        load_published(folder(text))


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(ValueError, match=str(tmp_path)):
        load_published(tmp_path)


def is_share_of(printed, rows):
    """Whether a printed percentage is that of a whole number of so many rows, rounded."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    least, most = ((Fraction(printed) + end) * rows / 100 for end in (-half, half))
    return math.ceil(least) <= most


def impossible(published, table, metric, rows):
    """The printed numbers that no whole number of test rows gives, `rows` by data set."""
    cells = published[
        (published["source"] + published["table"] == table) & published["dataset"].isin(rows)
    ]
    cells = cells[cells["metric"] == metric]
    wrong = [not is_share_of(one["printed"], rows[one["dataset"]]) for _, one in cells.iterrows()]
    return cells[wrong]


def test_printed_accuracies_of_medical_are_shares_of_645_rows(published):
    own = published[published["method"].isin(["svm_ml", "lr_ml"])]
    of = ("tpami20177", "subset_accuracy")
    assert impossible(own, *of, {"medical": 645}).empty
    wrong = impossible(own, *of, {"medical": 333})["printed"]
    assert {*wrong} == {"56.9", "60.2", "61.7"}


def test_of_nips2012_boosting_alone_is_a_share_of_the_rows_of_all_sets(published):
    rows = {"landsat": 2000, "optdigits": 1797, "pendigits": 3498, "letter": 4000, "isolet": 1559}
    wrong = impossible(published, "nips20122", "top1", rows)
    printed = published[published["source"] + published["table"] == "nips20122"]
    assert {*printed["method"]} - {*wrong["method"]} == {"simplex_boosting"}
    assert len(wrong[wrong["dataset"].isin(["landsat", "optdigits", "letter"])]) == 14
