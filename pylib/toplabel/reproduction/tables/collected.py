"""The files of a whole run."""

from __future__ import annotations

from functools import partial

from toplabel.reproduction.tables.cells import KNOWN
from toplabel.reproduction.tables.table import columns, described

KEYS = ("dataset", "features", "method", "k", "gamma", "kernel", "metric")
"""What names a cell of a published table."""
PUBLISHED_KEYS = ("source", "table", *KEYS)
"""What names a published number."""
NOT_REPRODUCED = ("higher", "lower", "off")
"""The verdicts of a number that is farther from print than close, whatever the direction."""
FEWEST_DRAWS = 5
"""Draws of the folds from which on their spread is evidence: with fewer the interval of a further
draw is too wide to say anything."""

_SHARED = columns(
    """
    source       text   The paper: nips2012, nips2015, cvpr2016 or tpami2017.
    table        text   The number of its table.
    features     text   The features of the data set; empty for its own vectors.
    k            text   The k of the method as it is given, empty where it has none or selects it.
    gamma        text   The smoothing of a hinge loss, 0 for none; empty for other losses.
    kernel       text   linear, rbf or precomputed; so are linear methods on features that kernels
        gave.
    measured     number The mean of the test values over the splits.
    relative_gap number The worst relative duality gap of the splits' models.
    seconds      number The sum of tuning and training over the splits.
    file         text   Where the values are from, relative to the results folder.
    selected_k   number The k that was selected; empty where the method gives it.
    rows_low     number The lower end of the 95 % interval over test rows (docs/metrics.md), of a
        top-k accuracy on one split.
    rows_high    number Its upper end.
    """
)
_PUBLISHED = columns(
    """
    source table
    dataset text   The data set's name in the papers.
    features
    method  text   The method's key in the papers: its loss, or a baseline.
    k gamma kernel metric
    """,
    (*KNOWN, *_SHARED),
)
_table = partial(described, known=(*KNOWN, *_SHARED), digits=12)

EVALUATION = _table(
    "results/evaluation.csv",
    """
    Every measured number: one row per data set, method and metric, in the order of the studies.
    C, theta, threshold and selected_k of several splits are the lower median, a value that was
    used.

    study         text   All studies that the data set and the method belong to, joined by ';'.
    dataset features method
    label         text   The method's label.
    loss          text   The method's loss, or its baseline.
    k gamma kernel metric measured
    std           number The standard deviation over the splits (n - 1); empty for one split.
    splits        whole  How many there are.
    budget C theta threshold relative_gap
    epochs        whole  The sum over the splits of the training's passes over the data.
    status        text   converged when every split's model is, else what the others are, joined by
        ';'.
    seconds file
    gradient_norm number The worst gradient norm, of a loss that is not convex.
    selected_k rows_low rows_high
    variant_of    text   The name of the method that it is a variant of; empty for others.
    """,
)
COMPARISON = _table(
    "results/comparison.csv",
    """
    Every published number beside the measured one: one row per published cell, keys as printed
    in data/published. Measured cells are found by the canonical key (top-k losses with k = 1
    are their multiclass ones).

    published    text   The number as printed.
    std          text   Its standard deviation as printed.
    measured     number The mean of the test values over the splits. Without a measurement this and
        what follows is empty.
    difference   number Measured minus published, with all digits.
    verdict      text   match, close, spread, higher, lower or off (docs/architecture.md).
    budget C theta threshold relative_gap seconds
    measured_std number The standard deviation over the splits (n - 1).
    file
    reason       text   Why the cell has no measurement, where the comparison knows it.
    selected_k
    splits       number How many splits the measured number is the mean of.
    rows_low rows_high
    in_rows      text   true where the printed number, as rounded, lies in this interval, else
        false; empty without one.
    seeds        number How often the folds were drawn again (fold_seeds of config/datasets.yaml),
        each with its own selection.
    seeds_mean   number The mean over these draws.
    seeds_std    number Their standard deviation (n - 1).
    in_seeds     text   true where the printed number, as rounded, lies in the 95 % prediction
        interval of a draw, else false.
    """,
    before=_PUBLISHED,
)
GRID = _table(
    "results/tables/<name>.csv",
    """
    A table to print as a grid, beside its <name>.json: the columns of results/comparison.csv,
    one row per cell. Tables with other columns are printed as they stand.

    label text   The method's label; empty where the paper's is used.
    """,
    before=COMPARISON.columns,
)
DATASETS = _table(
    "results/datasets.csv",
    """
    The data sets: one row per registered set. Sizes are those of the first split; zero rows,
    empty or full label sets and classes without example are counted in its training part.

    dataset
    title                   text   Its title.
    task                    text   multiclass or multilabel.
    status                  text   ready or missing.
    reason                  text   Why it is missing, or why its results are not compared.
    n_classes               whole  Classes.
    n_train                 whole  Training instances.
    n_val                   whole  Validation instances; empty without such a part.
    n_test                  whole  Test instances.
    n_features              whole  Features.
    label_cardinality       number Labels per instance, training and test together as in TPAMI
        Table 8.
    zero_rows               whole  Feature vectors that are 0.
    row_norm                number Median norm of the training part's feature vectors.
    empty_label_sets        whole  Instances without a label.
    full_label_sets         whole  Instances with every label.
    classes_without_example whole  Classes that no instance has.
    paper_n_classes         text   Classes, as the first of the papers prints it.
    paper_n_train           text   Training instances, likewise.
    paper_n_features        text   Features, likewise.
    paper_label_cardinality text   Labels per instance, likewise.
    paper_source            text   Where the papers print it.
    agrees                  text   True where everything printed is what was measured, else False.
    licence                 text   The licence of the data.
    citation                text   What to cite.
    url                     text   The official address.
    published_key           text   The set's name in the papers.
    features
    published_sources       text   The papers that use it as it is here, joined by ';'; empty for
        all.
    """,
    digits=None,
)
_SIDE = """\
    {side}_comparisons whole  Comparisons in {where}.
    {side}_first       whole  Those of them that the first side wins.
    {side}_second      whole  Those that the second side wins.
    {side}_within      whole  Those that differ by no more than the margin.
    {side}_low         number The lower quartile of the differences in points.
    {side}_median      number Their median.
    {side}_high        number Their upper quartile.
    {side}_outcome     text   holds, smaller (holds, by less than half), undecided (by the test
        rows), mixed, fails, few (too few comparisons), or empty without one.
"""
_OURS = """\
    {side}_median_low  number The lower end of the exact 95 % interval of the median over
        comparisons; empty for few.
    {side}_median_high number Its upper end.
    {side}_p           number The p-value of a sign test over comparisons; of two at the margin
        where the sides are similar.
    {side}_adjusted    number The same, corrected by Holm for all claims.
    {side}_rows_low    number The lower end of the 95 % interval of the median over test rows;
        empty where they are not known.
    {side}_rows_high   number The upper end of the 95 % interval of the median over test rows;
        empty where they are not known.
    {side}_datasets    text   The data sets of these comparisons, joined by ';'.
"""
FINDINGS = _table(
    "results/findings.csv",
    f"""
    The outcome of the papers' claims: one row per entry of config/notes.yaml
    (docs/results.md). A comparison is one data set, features and metric; differences are first
    minus second, positive when the first side is better.

    claim                 text   The name of the entry.
    source
    place                 text   Where the paper says it.
    says                  text   The claim as a sentence.
    expects               text   first, similar or neither.
    least                 number The share of comparisons that must speak for the claim.
    margin                number The points within which the sides are similar; empty for other
        claims.
    ties_win              text   true where ties count for the first side, else false.
    first                 text   The label of the first side.
    second                text   The label of the second side.
{_SIDE.format(side="published", where="the papers' tables")}\
{(_SIDE + _OURS).format(side="same", where="what was measured on the data of these tables")}\
{(_SIDE + _OURS).format(side="other", where="what was measured on other data")}\
    both                  whole  Comparisons that are decided in the papers' tables and in ours.
    agree                 whole  Those of them that go the same way.
    """,
)
WINNERS = _table(
    "results/winners.csv",
    """
    The best methods of each column of the published tables: one row per data set and metric of
    a table with two measured methods or more; only these count. Methods are
    method:k:gamma:kernel, ties joined by ';'.

    source table dataset features metric
    methods          whole  How many were measured.
    ours             text   The best of what was measured, at the printed digits.
    measured         number Their value.
    margin           number How far the next best is behind; empty where all are level.
    papers           text   The best of what is published.
    published        number Their value.
    published_margin number How far the next best is behind, likewise.
    same             text   true where the two share a method, else false.
    """,
    known=(*_SHARED, *_PUBLISHED),
)
DIFFERENCES = _table(
    "results/differences.csv",
    """
    The cells that differ from the printed ones, and why (config/notes.yaml): one row per
    cell that is off, higher or lower. Without a known reason the last five columns are empty.

    verdict    text   off, higher or lower.
    reason     text   The name of the reason.
    title      text   It in a few words.
    why        text   It in one sentence.
    evidence   text   What it is known from.
    experiment text   What variants of the method, and draws of the folds, give on the cells of
        that evidence.
    """,
    before=_PUBLISHED,
)
VARIANTS = _table(
    "results/variants.csv",
    """
    Variants of methods (`variant_of` in config/methods.yaml) beside the printed numbers of
    these methods: one row per published cell that was measured, and variant that was measured
    on the same data set.

    published        number The printed number.
    measured         number That of the method itself.
    verdict          text   Of the method itself.
    variant          text   The name of the variant.
    label            text   Its label.
    variant_measured number Its number.
    variant_verdict  text   The verdict that this would have.
    """,
    before=_PUBLISHED,
)
READINGS = _table(
    "results/readings.csv",
    """
    Cells under other readings of the protocols (config/notes.yaml): one row per published
    cell that was measured under the stated reading and under another one.

    published        number The printed number.
    measured         number The number under the stated reading.
    verdict          text   The verdict under the stated reading.
    reading          text   The name of the other reading.
    found            number The number under it.
    found_difference number That minus the published number, with all digits.
    found_verdict    text   The verdict under it.
    found_file       text   Where that is from, relative to the results folder.
    """,
    before=_PUBLISHED,
)
HEADLINE = _table(
    "results/headline.csv",
    """
    What the score is worth: one row per metric, one named `all`, and one named `unflagged`,
    without the cells that depend on a choice of config/notes.yaml. A measurement that is
    printed in several places is counted once.

    metric         text   The metric, or all, or unflagged.
    places         whole  Printed numbers that were measured.
    distinct       whole  Distinct measurements among them.
    match          whole  Distinct measurements with the verdict match.
    close          whole  Distinct measurements with the verdict close.
    spread         whole  Distinct measurements with the verdict spread.
    higher         whole  Distinct measurements with the verdict higher.
    lower          whole  Distinct measurements with the verdict lower.
    off            whole  Distinct measurements with the verdict off.
    not_reproduced whole  Those that are off, higher or lower.
    chance         number Percent that would match if methods were shuffled within data set and
        metric.
    digits         whole  Those that, rounded, have the printed digits.
    convex         whole  Those of convex losses on one split, so on the rows of the papers: top-k
        accuracies.
    convex_median  number Their median difference from print, in points.
    convex_mean    number Their mean signed difference, in points.
    """,
)
FAILURES = _table(
    "results/partial/failures.csv",
    """
    The results that an unfinished run did not get: one row per data set and method, or a job
    that belongs to none.

    dataset text   The data set; empty for other jobs.
    method  text   The method; empty for other jobs.
    label   text   The method's label, or the name of the job.
    stage   text   The last stage that began.
    reason  text   Why it ended.
    log     text   The log of the job, relative to the results folder.
    """,
)
COLLECTED = {
    "comparison": COMPARISON,
    "evaluation": EVALUATION,
    "datasets": DATASETS,
    "findings": FINDINGS,
    "winners": WINNERS,
    "differences": DIFFERENCES,
    "variants": VARIANTS,
    "readings": READINGS,
    "headline": HEADLINE,
    "failures": FAILURES,
}
"""What a report is made from, by the names of the files."""
