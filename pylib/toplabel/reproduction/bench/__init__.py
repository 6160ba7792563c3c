"""Speed against other solvers, and against the machine: `make bench` (docs/benchmarks.md)."""
