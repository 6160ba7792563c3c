"""Time and memory of the losses beside those of PyTorch, forward and backward, as Markdown.

PYTHONPATH=pylib build/torch/bin/python benchmarks/evidence/torch_losses.py [--compile]
"""

import sys
import time

import torch
from torch.nn import functional

from toplabel.torch import loss

SIZES = [(256, 1000), (256, 22000)]
ROWS = [
    ("`cross_entropy`", None),
    ("`multi_margin_loss`", None),
    ("`svm_multi`", {"key": "svm_multi"}),
    ("`svm_multi`, γ = 1", {"key": "svm_multi", "gamma": 1.0}),
    ("`topk_svm_alpha`, k = 5, γ = 1", {"key": "topk_svm_alpha", "k": 5, "gamma": 1.0}),
    ("`topk_svm_beta`, k = 5, γ = 1", {"key": "topk_svm_beta", "k": 5, "gamma": 1.0}),
    ("`lr_multi`", {"key": "lr_multi"}),
    ("`topk_ent`, k = 5", {"key": "topk_ent", "k": 5}),
    ("`topk_ent_tr`, k = 5", {"key": "topk_ent_tr", "k": 5}),
    ("`svm_ova`, γ = 1", {"key": "svm_ova", "gamma": 1.0}),
    ("`lr_ml`", {"key": "lr_ml"}),
    ("`svm_ml`, γ = 1", {"key": "svm_ml", "gamma": 1.0}),
]


def seconds(criterion, scores, target) -> float:
    """The least processor time of the runs in a second, which other work on the machine hardly
    lengthens.
    """
    best, first = float("inf"), time.process_time()
    while time.process_time() < first + 1.0:
        start = time.process_time()
        criterion(scores, target).backward()
        scores.grad = None
        best = min(best, time.process_time() - start)
    return best


def saved_bytes(criterion, scores, target) -> int:
    """What autograd keeps between forward and backward beside scores and targets."""
    kept = {}

    def pack(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        criterion(scores, target)
    for own in (scores, target):
        kept.pop(own.untyped_storage().data_ptr(), None)
    return sum(kept.values())


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, one thread, float32\n")
    for n, m in SIZES:
        generator = torch.Generator().manual_seed(0)
        scores = torch.randn(n, m, generator=generator).requires_grad_()
        classes = torch.randint(0, m, (n,), generator=generator)
        sets = torch.rand(n, m, generator=generator) < 5 / m
        print(f"| {n} x {m} | ms | times cross_entropy | kept, MB |\n|---|---|---|---|")
        reference = None
        for name, arguments in ROWS:
            if arguments is None:
                criterion = getattr(functional, name.strip("`"))
            else:

                def criterion(s, t, arguments=arguments):
                    return loss(s, t, **arguments)

            if "--compile" in sys.argv:
                torch._dynamo.reset()
                criterion = torch.compile(criterion, fullgraph=True)
            target = sets if name.startswith(("`lr_ml", "`svm_ml")) else classes
            taken = seconds(criterion, scores, target)
            reference = reference or taken
            kept = saved_bytes(criterion, scores, target) / 1e6
            print(
                f"| {name} | {taken * 1e3:.1f} | {taken / reference:.1f} | {kept:.1f} |", flush=True
            )
        print()


if __name__ == "__main__":
    main()
