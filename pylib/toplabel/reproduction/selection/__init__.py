"""How a method is tuned, trained and evaluated on a data set: from the prepared set to a cell.

The stages, in their order, with what each hands to the next:

- `problems`: rows to train on and rows to measure on, for each fold;
- `tuning` (with `grids`, `fitting`): validation values over the grid, `tuned.Tuned`;
- `choice`: the best point for each metric, `choice.Choice`, a row of selection.csv;
- `models`: the chosen models with their certificates, `models.Model`, in models.npz;
- `evaluation`: thresholds and test metrics, `evaluation.TestMetric`, a row of evaluation.csv, and
  `evaluation.TrueRanks`, in ranks.npz.
"""
