"""Reports: HTML pages, a PDF, JSON and an RO-Crate of the collected results.

`toplabel.reproduction.report.write.write_report` reads the collected files (`inputs`), arranges them
as one tree of plain data (`tree`, `pages`) and prints the tree. The figures are in `figures`.
"""
