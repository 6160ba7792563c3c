"""Small networks on images, their features, and fine-tuning: TPAMI Table 6 on other data
(docs/pytorch.md).
"""
