/* SPDX-License-Identifier: MIT
 *
 * products_typed.h: the products of one type with one set of instructions. products.c includes it
 * once for each, with TL_REAL the type, TL_BYTES those of a vector, TL_TARGET the attribute of the
 * functions, ROWS x COLUMNS and CLASSES x VECTORS the sums that stay in registers, and TL_KERNEL(x)
 * the name of x. No include guard for that reason. There is at least one vector of features.
 */
#define VECTOR TL_KERNEL(vector)
#define MASK TL_KERNEL(mask)
#define LANES (TL_BYTES / sizeof(TL_REAL))
/* Features at a time: rows and weights of so many fit into the second cache, a tile of them into
 * the first. */
#define CHUNK (4096 / sizeof(TL_REAL))

typedef TL_REAL VECTOR __attribute__((vector_size(TL_BYTES), aligned(sizeof(TL_REAL)), may_alias));
typedef TL_REAL TL_KERNEL(half) __attribute__((vector_size(TL_BYTES / 2)));
typedef __typeof__((VECTOR){0} < (VECTOR){0}) MASK;

/* The last `count` lanes. */
TL_TARGET TL_INLINE MASK TL_KERNEL(last)(size_t count) {
    VECTOR lane;
    for (size_t l = 0; l < LANES; l++)
        lane[l] = (TL_REAL)(l + count);
    return lane >= (TL_REAL)LANES;
}

TL_TARGET TL_INLINE VECTOR TL_KERNEL(load)(const TL_REAL *x, const bool masked, MASK mask) {
    const VECTOR v = *(const VECTOR *)x;
    return masked ? (VECTOR)((MASK)v & mask) : v;
}

TL_TARGET TL_INLINE TL_REAL TL_KERNEL(sum)(VECTOR v) {
    TL_KERNEL(half) low, high;
    memcpy(&low, &v, sizeof low);
    memcpy(&high, (const char *)&v + sizeof low, sizeof high);
    low += high;
    TL_REAL sums[LANES / 2];
    memcpy(sums, &low, sizeof low);
    UNROLL for (size_t width = LANES / 4; width > 0; width /= 2)
        UNROLL for (size_t l = 0; l < width; l++) sums[l] += sums[l + width];
    return sums[0];
}

/* One vector of features of a tile. */
TL_TARGET TL_INLINE void TL_KERNEL(step)(const size_t columns, const TL_REAL *const *x,
                                         const TL_REAL *const *w, size_t k, const bool masked,
                                         MASK mask, VECTOR sums[][COLUMNS]) {
    VECTOR rows[ROWS];
    UNROLL for (size_t i = 0; i < ROWS; i++) rows[i] = TL_KERNEL(load)(x[i] + k, masked, mask);
    UNROLL for (size_t j = 0; j < columns; j++) {
        const VECTOR column = TL_KERNEL(load)(w[j] + k, false, mask);
        UNROLL for (size_t i = 0; i < ROWS; i++) sums[i][j] += rows[i] * column;
    }
}

/* s_ij += <x_i, w_j> over the features first .. end - 1, for the first `count` rows. */
TL_TARGET TL_INLINE void TL_KERNEL(dots)(const size_t columns, size_t count,
                                         const TL_REAL *const *x, const TL_REAL *const *w,
                                         size_t first, size_t end, TL_REAL *s, size_t stride) {
    VECTOR sums[ROWS][COLUMNS];
    UNROLL for (size_t i = 0; i < ROWS; i++) UNROLL for (size_t j = 0; j < columns; j++)
        sums[i][j] = (VECTOR){0};
    const MASK mask = TL_KERNEL(last)((end - first) % LANES);
    size_t k = first;
    for (; k + LANES <= end; k += LANES)
        TL_KERNEL(step)(columns, x, w, k, false, mask, sums);
    if (k < end) TL_KERNEL(step)(columns, x, w, end - LANES, true, mask, sums);
    UNROLL for (size_t i = 0; i < ROWS; i++) {
        if (i == count) break;
        UNROLL for (size_t j = 0; j < columns; j++) s[i * stride + j] += TL_KERNEL(sum)(sums[i][j]);
    }
}

TL_TARGET static void TL_KERNEL(tile)(size_t rows, size_t columns, const TL_REAL *const *x,
                                      const TL_REAL *const *w, size_t first, size_t end, TL_REAL *s,
                                      size_t stride) {
    const TL_REAL *these[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        these[i] = x[i < rows ? i : 0];
    if (columns == COLUMNS) {
        TL_KERNEL(dots)(COLUMNS, rows, these, w, first, end, s, stride);
        return;
    }
    size_t j = 0;
    for (; j + 2 <= columns; j += 2)
        TL_KERNEL(dots)(2, rows, these, w + j, first, end, s + j, stride);
    if (j < columns) TL_KERNEL(dots)(1, rows, these, w + j, first, end, s + j, stride);
}

/* S (b, m) = X W^T; if `lower`, of the rows above the diagonal only what tiles have. */
TL_TARGET static void TL_KERNEL(products)(size_t b, size_t m, size_t d, const TL_REAL *const *x,
                                          const TL_REAL *const *w, bool lower, TL_REAL *s) {
    memset(s, 0, b * m * sizeof *s);
    for (size_t first = 0, end = 0; end < d; first = end) {
        end = d - first < CHUNK + LANES ? d : first + CHUNK; /* a vector is left, or none */
        for (size_t j = 0; j < m; j += COLUMNS) {
            const size_t columns = m - j < COLUMNS ? m - j : COLUMNS;
            for (size_t i = lower ? j : 0; i < b; i += ROWS)
                TL_KERNEL(tile)(b - i < ROWS ? b - i : ROWS, columns, x + i, w + j, first, end,
                                s + i * m + j, m);
        }
    }
}

TL_TARGET static void TL_KERNEL(scores)(size_t b, size_t m, size_t d, const TL_REAL *const *x,
                                        const TL_REAL *w, TL_REAL *s) {
    const TL_REAL *classes[MOST_CLASSES];
    for (size_t j = 0; j < m; j++)
        classes[j] = w + j * d;
    TL_KERNEL(products)(b, m, d, x, classes, false, s);
}

TL_TARGET static void TL_KERNEL(gram)(size_t b, size_t d, const TL_REAL *const *x, TL_REAL *g) {
    TL_KERNEL(products)(b, b, d, x, x, true, g);
}

/* W += D^T X for the features from k on and so many classes. */
TL_TARGET TL_INLINE void TL_KERNEL(add)(const size_t classes, const size_t vectors, size_t b,
                                        size_t m, size_t d, const TL_REAL *delta,
                                        const TL_REAL *const *x, size_t k, const bool masked,
                                        MASK mask, TL_REAL *w) {
    VECTOR sums[CLASSES][VECTORS];
    UNROLL for (size_t j = 0; j < classes; j++) UNROLL for (size_t v = 0; v < vectors; v++)
        sums[j][v] = TL_KERNEL(load)(w + j * d + k + v * LANES, false, mask);
    for (size_t i = 0; i < b; i++) {
        VECTOR row[VECTORS];
        UNROLL for (size_t v = 0; v < vectors; v++) row[v] =
            TL_KERNEL(load)(x[i] + k + v * LANES, masked, mask);
        UNROLL for (size_t j = 0; j < classes; j++) UNROLL for (size_t v = 0; v < vectors; v++)
            sums[j][v] += delta[i * m + j] * row[v];
    }
    UNROLL for (size_t j = 0; j < classes; j++) UNROLL for (size_t v = 0; v < vectors; v++) *
        (VECTOR *)(w + j * d + k + v * LANES) = sums[j][v];
}

/* Update W by the rows of a block, for all classes. */
TL_TARGET TL_INLINE void TL_KERNEL(strip)(const size_t vectors, size_t b, size_t m, size_t d,
                                          const TL_REAL *delta, const TL_REAL *const *x, size_t k,
                                          const bool masked, MASK mask, TL_REAL *w) {
    size_t j = 0;
    for (; j + CLASSES <= m; j += CLASSES)
        TL_KERNEL(add)(CLASSES, vectors, b, m, d, delta + j, x, k, masked, mask, w + j * d);
    for (; j + 2 <= m; j += 2)
        TL_KERNEL(add)(2, vectors, b, m, d, delta + j, x, k, masked, mask, w + j * d);
    if (j < m) TL_KERNEL(add)(1, vectors, b, m, d, delta + j, x, k, masked, mask, w + j * d);
}

TL_TARGET static void TL_KERNEL(update)(size_t b, size_t m, size_t d, const TL_REAL *delta,
                                        const TL_REAL *const *x, TL_REAL *w) {
    const MASK mask = TL_KERNEL(last)(d % LANES);
    size_t k = 0;
    for (; k + VECTORS * LANES <= d; k += VECTORS * LANES)
        TL_KERNEL(strip)(VECTORS, b, m, d, delta, x, k, false, mask, w);
    for (; k + LANES <= d; k += LANES)
        TL_KERNEL(strip)(1, b, m, d, delta, x, k, false, mask, w);
    if (k < d) TL_KERNEL(strip)(1, b, m, d, delta, x, d - LANES, true, mask, w);
}

#undef VECTOR
#undef MASK
#undef LANES
#undef CHUNK
#undef TL_REAL
#undef TL_KERNEL
