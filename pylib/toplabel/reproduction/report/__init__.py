"""Reports: HTML, PDF, figures and machine-readable data from the collected results.

`inputs.load_inputs` reads the collected files of a results folder, `tree.build_tree` arranges them
as one tree of plain data; `html.write_html`, `pdf.write_pdf`, `metadata.write_data` and
`crate.write_crate` print it. Nothing is computed here but in `figures`, where a module for each
figure computes its numbers and draws them.
"""
