"""Reports: HTML, PDF, figures and machine-readable data from the collected results. Nothing is
computed here.

`load_inputs` reads the collected files of a results folder, `tree.build_tree` arranges them as one
tree of plain data; `write_html`, `write_pdf`, `write_data` and `crate.write_crate` print it. The
figures are listed in `toplabel.reproduction.figures`.
"""

from toplabel._core.files import FileError
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import ReportInputs, load_inputs
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.report.pdf import write_pdf

__all__ = [
    "FileError",
    "ReportInputs",
    "load_inputs",
    "write_data",
    "write_html",
    "write_pdf",
]
