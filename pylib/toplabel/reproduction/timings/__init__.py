"""How times are measured, and what TPAMI Fig. 3 and Table 2 show of them (docs/evidence/benchmarks.md)."""
