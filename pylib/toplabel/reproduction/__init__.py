"""The reproduction of the papers: configuration, data, tuning, comparison, reports. The library
does not need it.
"""
