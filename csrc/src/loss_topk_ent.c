/* SPDX-License-Identifier: MIT */
/* The top-k entropy loss: the softmax with the conjugate restricted to the top-k simplex alpha (the
 * paper, Propositions 4 and 15 to 17). */
#include "loss.h"
#include "vmath.h"

/* b = q - q_y with q = s - norm2 a, and -inf in the place of y and behind. */
TL_CLONES
static void dual_differences(size_t m, size_t n, size_t y, const double *restrict s,
                             const double *restrict a, double norm2, double *restrict b) {
    const double q_y = s[y] - norm2 * a[y];
    for (size_t j = m; j < n; j++)
        b[j] = -INFINITY;
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        b[j] = (s[j] - norm2 * a[j]) - q_y;
    b[y] = -INFINITY;
}

/* Without a start, for the rare row whose search failed. x: m for work. */
static double update_cold(size_t m, size_t y, size_t k, double alpha, double *b, double *z,
                          double *p, double *x) {
    double t = NAN;
    size_t count = 0;
    for (size_t j = 0; j < m; j++)
        if (j != y) b[count++] = b[j];
    const double sum = tl_topk_entropic_project(count, b, k, alpha, &t, x, z, p);
    /* from m - 1 packed entries to their places, backwards */
    for (size_t j = m; j-- > 0;)
        x[j] = j == y ? 0.0 : x[j > y ? j - 1 : j];
    return sum;
}

static void update(const tl_row *row, size_t m, const double *s, const double *a, double *a_new,
                   double *warm, double *work) {
    const size_t y = (size_t)row->labels[0], n = tl_padded(m);
    const double alpha = fmax(row->norm2 * row->C, 1e-17); /* below, nothing changes but rounding */
    double *b = work, *v = work + n, *u = work + 2 * n;
    dual_differences(m, n, y, s, a, row->norm2, b);
    double sum = tl_warm_topk_entropic(n, b, y, row->params.k, alpha, warm, a_new, v, u);
    if (sum < 0.0) sum = update_cold(m, y, row->params.k, alpha, b, v, u, a_new);
    tl_scale(m, -row->C, a_new);
    a_new[y] = row->C * sum;
}

/* ---- loss ---- */

/* sum of e^{v_j - kth} over v_j < kth, and the number of v_j = kth. */
TL_CLONES
static double sum_below(size_t n, const double *v, double kth, double *ties) {
    double sum = 0.0, count = 0.0;
    if (n % 8 != 0) TL_UNREACHABLE();
#pragma omp simd reduction(+ : sum, count)
    for (size_t j = 0; j < n; j++) {
        sum += v[j] < kth ? tl_exp(v[j] - kth) : 0.0;
        count += v[j] == kth ? 1.0 : 0.0;
    }
    *ties = count;
    return sum;
}

/* log_sum[i] = log of the sum of e^(v_j - top[i]) over all but the i largest entries, which are
 * top[0], ...; i < k. */
static void log_sums(size_t n, const double *v, size_t k, const double *top, double *log_sum) {
    double ties;
    double sum = sum_below(n, v, top[k - 1], &ties);
    for (size_t i = 0; i < k; i++)
        ties -= top[i] == top[k - 1] ? 1.0 : 0.0;
    sum += 1.0 + ties;
    for (size_t i = k - 1;; i--) {
        log_sum[i] = log(sum);
        if (i == 0) return;
        sum = 1.0 + sum * exp(top[i] - top[i - 1]);
    }
}

typedef struct maximiser {
    double loss;
    double sum; /* s */
    double t;
} maximiser;

/* The maximiser of Proposition 17: x_j = min(e^{v_j - t}, s/k), from the k largest v, top. The
 * (i+1)-th largest is not capped if e^(top[i] - t) <= s/k, which is that the sum behind log_sum[i]
 * is at least k - i: t and s, which lose their digits where scores are huge, are not in it. Of the
 * k-th largest it always holds. */
static maximiser maximise(size_t k, const double *top, const double *log_sum) {
    size_t i = 0;
    double mean = 0.0; /* A = sum of the capped v_j over k */
    for (; i + 1 < k && log_sum[i] < log((double)(k - i)); i++)
        mean += top[i] / (double)k;
    const double rho = (double)i / (double)k, free_share = 1.0 - rho;
    const double tail = top[i] + log_sum[i], log_free = log(free_share);
    const double log_q = free_share * (log_free - tail) - rho * log((double)k) - mean;
    const double log_1q = tl_softplus(log_q);
    return (maximiser){
        .loss = tl_softplus(-log_q), .sum = exp(-log_1q), .t = tail + log_1q - log_free};
}

static maximiser find_maximiser(const tl_row *row, size_t m, const double *s, double *work) {
    const size_t n = tl_padded(m), k = row->params.k;
    double *v = work, *top = work + n, *log_sum = work + 2 * n;
    dual_differences(m, n, (size_t)row->labels[0], s, s, 0.0, v);
    tl_largest(n, v, k, top, log_sum);
    log_sums(n, v, k, top, log_sum);
    return maximise(k, top, log_sum);
}

static double value(const tl_row *row, size_t m, const double *s, double *work) {
    return find_maximiser(row, m, s, work).loss;
}

static void gradient(const tl_row *row, size_t m, const double *s, double *g, double *work) {
    const maximiser best = find_maximiser(row, m, s, work);
    const double *v = work, cap = best.sum / (double)row->params.k;
    for (size_t j = 0; j < m; j++)
        g[j] = fmin(exp(v[j] - best.t), cap);
    g[row->labels[0]] = -best.sum;
}

/* With the p capped entries u = s/k, the free ones x_M, their sum f = rho u, rho = k - p, and t the
 * multiplier of that, the derivatives of the conditions of the maximum are
 *
 *     dx_j = x_j (dv_j - dt),   (p/u + k^2/(1 - s)) du = sum of dv_U + rho dt,   sum of dx_M = rho
 * du,
 *
 * so with theta = (p/u + k^2/(1 - s))/rho^2 and tau = theta/(1 + theta f)
 *
 *     dt = tau sum of x_M dv_M - (1 - tau f)/rho sum of dv_U. */
static void curvature(const tl_row *row, size_t m, const double *g, tl_curvature *out) {
    const size_t y = (size_t)row->labels[0];
    const double k = (double)row->params.k, s = -g[y], rest = fmax(1.0 - s, 1e-300);
    if (!(s > 1e-300)) return;
    const double cap = tl_largest_other(m, y, g);
    const bool is_capped = row->params.k > 1 && cap * k >= s * (1.0 - TL_AT_BOUND);
    const double limit = is_capped ? cap * (1.0 - TL_AT_BOUND) : INFINITY;
    double sum = 0.0;
    for (size_t j = 0; j < m; j++)
        if (j != y && g[j] > 0.0 && g[j] < limit) {
            tl_add_entry(out, j, g[j]);
            sum += g[j];
        }
    out->middle = out->count;
    for (size_t j = 0; j < m; j++)
        if (j != y && g[j] >= limit) tl_add_entry(out, j, 0.0);
    const double p = (double)(out->count - out->middle), rho = k - p;
    if (rho <= 0.0 || out->middle == 0) { /* s moves alone */
        out->core[2] = s * rest / (k * k);
        return;
    }
    const double theta = (p * k / s + k * k / rest) / (rho * rho);
    const double tau = theta / (1.0 + theta * sum), left = 1.0 / (1.0 + theta * sum);
    out->core[0] = -tau;
    out->core[1] = left / rho;
    out->core[2] = sum * left / (rho * rho);
}

const tl_loss_ops tl_ops_topk_ent = {
    .multiclass = true,
    .differences = true,
    .curvature = curvature,
    .always_smooth = true,
    .has_k = true,
    .update = update,
    .value = value,
    .gradient = gradient,
    .conjugate = tl_conjugate_softmax,
    .infeasibility = tl_infeasibility_topk_alpha,
};
