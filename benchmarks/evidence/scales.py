"""Evidence for the certificates: ``python benchmarks/evidence/scales.py [--problems N] [--seed S]``
prints what was claimed.

Small problems whose rows, columns and C are up to 120 orders of magnitude apart, each loss and
representation in turn, the simplex SVMs too. What ends as "converged" or "imprecise" is certified
by `toplabel.certify`, which shares nothing with the solver but the losses of single rows. Exit
status 1 if a claim is not confirmed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import scale_problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options, _ = parser.parse_known_args(arguments)
    kinds = list(itertools.product(scale_problems.KEYS, scale_problems.FORMS))
    counts, wrong, start = Counter(), [], time.monotonic()
    for i in range(options.problems):
        key, form = kinds[i % len(kinds)]
        claim = scale_problems.claim(np.random.default_rng((options.seed, i)), key, form)
        counts[claim.status] += 1
        if claim.status == "imprecise" and claim.is_confirmed:
            counts["imprecise, though certify confirms it"] += 1
        if claim.status == "converged" and not claim.is_confirmed:
            wrong.append((i, key, form, claim))
    print(f"\nCertificates of {options.problems} problems, seed {options.seed}")
    for status, count in counts.most_common():
        print(f"  {status:40} {count}")
    print(f"  {'claimed and not confirmed':40} {len(wrong)}")
    for case in wrong[:20]:
        print("   ", *case)
    print(f"  {time.monotonic() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
