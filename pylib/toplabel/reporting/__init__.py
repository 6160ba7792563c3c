"""Reports: HTML, PDF and figures from the collected results. Nothing is computed here.

`load_inputs` reads and checks the collected files of a results folder, `write_html` and `write_pdf`
format them. The figures are in `toplabel.reporting.figures`, their style in `.style`.
"""

from toplabel.reporting.html import write_html
from toplabel.reporting.inputs import ReportInputs, load_inputs
from toplabel.reporting.pdf import write_pdf
from toplabel.reporting.reading import ReportInputError

__all__ = ["ReportInputError", "ReportInputs", "load_inputs", "write_html", "write_pdf"]
