"""Problems, scoring and measuring that the files of the benchmark share."""
