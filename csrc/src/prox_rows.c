/* SPDX-License-Identifier: MIT */
/* One problem per row: the proximal maps by name, so that a caller from another language pays for
 * one call instead of one per row. */
#include "prox.h"

static bool is_bipartite(tl_prox_id map) {
    return map == TL_PROX_BIPARTITE_SIMPLEX || map == TL_PROX_BIPARTITE_ENTROPIC;
}

size_t tl_prox_work(const tl_prox *prox) {
    if (prox == NULL) return 0;
    const size_t m = prox->n + (is_bipartite(prox->map) ? prox->n_bar : 0);
    switch (prox->map) {
    case TL_PROX_TOPK_SIMPLEX_ALPHA:
    case TL_PROX_TOPK_SIMPLEX_BETA:
    case TL_PROX_TOPK_CONE:
    case TL_PROX_BIPARTITE_SIMPLEX:
        return m;
    case TL_PROX_TOPK_ENTROPIC:
        return 3 * m + 2;
    case TL_PROX_BIPARTITE_ENTROPIC:
        return 2 * m;
    case TL_PROX_COUNT:
        break;
    }
    return 0;
}

static tl_status project(const tl_prox *p, const double *b, const double *b_bar, double *x,
                         double *y, double *work) {
    switch (p->map) {
    case TL_PROX_TOPK_SIMPLEX_ALPHA:
        return tl_prox_topk_simplex_alpha(p->n, b, p->k, p->radius, p->bias, x, work);
    case TL_PROX_TOPK_SIMPLEX_BETA:
        return tl_prox_topk_simplex_beta(p->n, b, p->k, p->radius, p->bias, x, work);
    case TL_PROX_TOPK_CONE:
        return tl_prox_topk_cone(p->n, b, p->k, p->bias, x, work);
    case TL_PROX_BIPARTITE_SIMPLEX:
        return tl_prox_bipartite_simplex(p->n, b, p->n_bar, b_bar, p->radius, x, y, work);
    case TL_PROX_TOPK_ENTROPIC:
        return tl_prox_topk_entropic(p->n, b, p->k, p->alpha, x, work);
    case TL_PROX_BIPARTITE_ENTROPIC:
        return tl_prox_bipartite_entropic(p->n, b, p->n_bar, b_bar, p->alpha, x, y, work);
    case TL_PROX_COUNT:
        break;
    }
    return TL_ERR_PARAMETER;
}

tl_status tl_prox_rows(const tl_prox *prox, size_t rows, const double *b, const double *b_bar,
                       double *x, double *y, double *work) {
    if (prox == NULL || b == NULL || x == NULL || work == NULL) return TL_ERR_NULL;
    const bool bipartite = is_bipartite(prox->map);
    const size_t n_bar = bipartite ? prox->n_bar : 0;
    if (n_bar > 0 && (b_bar == NULL || y == NULL)) return TL_ERR_NULL;
    for (size_t i = 0; i < rows; i++) {
        const double *row_bar = n_bar > 0 ? b_bar + i * n_bar : NULL;
        double *y_row = n_bar > 0 ? y + i * n_bar : NULL;
        const tl_status status =
            project(prox, b + i * prox->n, row_bar, x + i * prox->n, y_row, work);
        if (status != TL_OK) return status;
    }
    return TL_OK;
}
