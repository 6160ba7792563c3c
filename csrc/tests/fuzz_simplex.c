/* SPDX-License-Identifier: MIT */
/* The simplex coding and its online training on whatever the bytes say. A status comes back; on
 * failure the caller's arrays are what they were; a projected step stays in the ball. */
#include "fuzz_problem.h"

static double norm_of(size_t n, const double *x) {
    double largest = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < n && largest > 0.0; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static void try_online(bytes *in, const problem *p) {
    tl_online_settings settings = {.size = sizeof(tl_online_settings),
                                   .loss = (tl_simplex_loss)take_choice(in, TL_SIMPLEX_LOSS_COUNT),
                                   .lambda = take_one_in(in, 2) ? take_parameter(in) : 0.1,
                                   .radius = INFINITY,
                                   .t0 = take_one_in(in, 4) ? take_parameter(in) : 0.0,
                                   .epochs = take_choice(in, 5),
                                   .seed = take_bits(in, 1),
                                   .average = (int)take_choice(in, 2)};
    if (take_one_in(in, 64)) settings.loss = (tl_simplex_loss)take_bits(in, 1);
    if (take_one_in(in, 2)) settings.radius = take_parameter(in);
    const size_t count = p->d * (p->m - 1);
    double *weights = exact_doubles(count);
    fill_numbers(in, count, weights);
    double *before = copy_of(weights, count * sizeof *weights);
    const tl_status status = tl_simplex_online(&p->data, &settings, weights);
    DEMAND(status >= TL_OK && status < TL_STATUS_COUNT);
    if (status == TL_OK) {
        DEMAND(settings.epochs > 0 && p->data.weight == NULL);
        DEMAND(all_finite(count, weights));
        DEMAND(norm_of(count, weights) <= settings.radius * (1.0 + 1e-6));
    } else {
        DEMAND(memcmp(before, weights, count * sizeof *weights) == 0);
    }
    free(before);
    free(weights);
}

static void try_codes(bytes *in) {
    const size_t classes = take_choice(in, 12);
    double *codes = exact_doubles(classes > 0 ? (classes - 1) * classes : 0);
    DEMAND((tl_simplex_codes(classes, codes) == TL_OK) == (classes >= 2));
    for (size_t y = 0; y < classes && classes >= 2; y++) {
        double norm2 = 0.0;
        for (size_t r = 0; r + 1 < classes; r++)
            norm2 += codes[r * classes + y] * codes[r * classes + y];
        DEMAND(fabs(norm2 - 1.0) <= 1e-15 * (double)classes);
    }
    free(codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes in = {data, size};
    problem p = take_shape(&in);
    if (!take_one_in(&in, 16)) p.data.type = TL_FLOAT64;
    take_labels(&in, &p, take_one_in(&in, 32));
    take_features(&in, &p);
    if (take_one_in(&in, 4)) take_weights(&in, &p);
    if (take_one_in(&in, 16)) spoil(&in, &p);
    void *x = copy_of(p.x, p.x_size);
    try_online(&in, &p);
    try_codes(&in);
    DEMAND(memcmp(x, p.x, p.x_size) == 0);
    free(x);
    free_problem(&p);
    return 0;
}
