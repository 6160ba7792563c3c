"""One thread: sums, and with them the last digits, depend on their number."""

import torch

torch.set_num_threads(1)
