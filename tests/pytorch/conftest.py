"""These tests are `make test-torch`; where PyTorch is not installed, `pytest tests` leaves them
out.
"""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]

if not collect_ignore_glob:
    import torch

    # Sums, and with them the last digits, depend on the number of threads.
    torch.set_num_threads(1)
