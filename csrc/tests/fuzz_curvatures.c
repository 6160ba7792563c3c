/* SPDX-License-Identifier: MIT */
/* The generalised Jacobians on whatever the bytes say: losses, labels, weights, gradients of scores
 * of any size, or numbers that are no gradients. A status comes back and memory is kept; where the
 * gradients are those of the loss, the Jacobians are finite, symmetric and positive semidefinite.
 */
#include "fuzz_problem.h"

typedef struct jacobians {
    problem p;
    tl_curvatures *found;
    size_t rows;
    double size; /* of the largest, at most */
} jacobians;

static double inner(size_t n, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* J v, of numbers between -1 and 1. */
static double *product_with(bytes *in, const jacobians *j, double **v) {
    const size_t count = j->rows * j->p.m;
    *v = exact_doubles(count);
    for (size_t i = 0; i < count; i++)
        (*v)[i] = ((double)take_bits(in, 1) - 127.5) / 127.5;
    double *out = copy_of(*v, count * sizeof **v);
    DEMAND(tl_curvatures_multiply(j->found, out) == TL_OK);
    return out;
}

static void check_products(bytes *in, const jacobians *j) {
    const size_t m = j->p.m, count = j->rows * m;
    const double error = 1e-12 * (double)(m * m) * j->size;
    double *u, *v, *Ju = product_with(in, j, &u), *Jv = product_with(in, j, &v);
    double *diagonal = exact_doubles(count);
    DEMAND(tl_curvatures_diagonal(j->found, diagonal) == TL_OK);
    DEMAND(all_finite(count, Ju) && all_finite(count, diagonal));
    for (size_t i = 0; i < count; i++)
        DEMAND(diagonal[i] >= 0.0 && diagonal[i] <= j->size * (1.0 + 1e-9));
    for (size_t i = 0; i < count; i += m) {
        DEMAND(fabs(inner(m, u + i, Jv + i) - inner(m, v + i, Ju + i)) <= error);
        DEMAND(inner(m, u + i, Ju + i) >= -error);
    }
    free(u);
    free(v);
    free(Ju);
    free(Jv);
    free(diagonal);
}

/* With one feature of value 1 the matrix is the sum of the J_i. */
static void check_matrix(const jacobians *j) {
    const size_t m = j->p.m;
    double *x = exact_doubles(j->rows), *matrix = exact_doubles(m * m);
    double *columns = exact_doubles(j->rows * m);
    for (size_t r = 0; r < j->rows; r++)
        x[r] = 1.0;
    memset(matrix, 0, m * m * sizeof *matrix);
    DEMAND(tl_curvatures_assemble(j->found, 1, x, matrix) == TL_OK);
    for (size_t b = 0; b < m; b++) {
        memset(columns, 0, j->rows * m * sizeof *columns);
        for (size_t r = 0; r < j->rows; r++)
            columns[r * m + b] = 1.0;
        DEMAND(tl_curvatures_multiply(j->found, columns) == TL_OK);
        for (size_t a = 0; a <= b; a++) {
            double sum = 0.0;
            for (size_t r = 0; r < j->rows; r++)
                sum += columns[r * m + a];
            DEMAND(fabs(sum - matrix[a * m + b]) <= 1e-12 * (double)(m * j->rows) * j->size);
        }
    }
    free(x);
    free(matrix);
    free(columns);
}

static void find(bytes *in, jacobians *j, tl_loss_id loss, size_t k) {
    const problem *p = &j->p;
    const size_t count = p->n * p->m;
    double *scores = exact_doubles(count), *gradients = exact_doubles(count);
    const double gamma = take_parameter(in), C = take_parameter(in);
    fill_numbers(in, count, scores);
    const tl_status status =
        tl_loss_gradients(loss, k, gamma, p->n, p->m, scores, p->label_start, p->label, gradients);
    const int are_gradients = status == TL_OK && !take_one_in(in, 4);
    size_t entries = 0;
    if (tl_curvatures_set(j->found, gamma, C, p->weight, are_gradients ? gradients : scores,
                          &j->rows, &entries) == TL_OK) {
        DEMAND(j->rows <= p->n && entries <= j->rows * p->m);
        int64_t *index = exact_bytes(j->rows * sizeof *index);
        DEMAND(tl_curvatures_rows(j->found, index) == TL_OK);
        for (size_t r = 0; r < j->rows; r++)
            DEMAND(index[r] < (int64_t)p->n && index[r] >= (r > 0 ? index[r - 1] + 1 : 0));
        double largest = 1.0;
        for (size_t i = 0; p->weight != NULL && i < p->n; i++)
            largest = fmax(largest, p->weight[i]);
        tl_traits traits;
        DEMAND(tl_loss_traits(loss, &traits) == TL_OK);
        /* Of m scores against one label. */
        j->size = (double)p->m * C * largest / (traits.smooth ? 1.0 : gamma);
        if (are_gradients && isfinite(j->size) && j->size < 1e290) {
            check_products(in, j);
            check_matrix(j);
        }
        free(index);
    }
    free(scores);
    free(gradients);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    jacobians j = {.p = take_shape(&in)};
    problem *p = &j.p;
    const tl_loss_id loss = (tl_loss_id)take_choice(&in, TL_LOSS_COUNT + 1);
    tl_traits traits = {0};
    const tl_status known = tl_loss_traits(loss, &traits);
    const size_t k = traits.has_k || take_one_in(&in, 32) ? 1 + take_choice(&in, p->m) : 1;
    take_labels(&in, p, !traits.multiclass);
    if (take_one_in(&in, 4)) take_weights(&in, p);
    const tl_status status =
        tl_curvatures_create(loss, k, p->n, p->m, p->label_start, p->label, &j.found);
    DEMAND(status != TL_OK || (known == TL_OK && traits.curvature));
    for (int again = 0; status == TL_OK && again < 2; again++)
        find(&in, &j, loss, k);
    tl_curvatures_free(j.found);
    free_problem(p);
    return 0;
}
