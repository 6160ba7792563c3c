/* SPDX-License-Identifier: MIT */
/* Working sets of pairs of a row and a class: which they are, and their blocks of the Gram matrix.
 */
#include "pairs.h"

#include <string.h>

void tl_pairs_free(tl_pairs *self) {
    if (self == NULL) return;
    tl_face *face = &self->face;
    void *const arrays[] = {
        self->row,         self->start,         self->own_start,    self->own,
        self->order,       self->warm,          self->class_start,  self->block_start,
        self->column,      self->place,         self->dual,         self->trial,
        self->class_row,   self->scores,        self->moved,        self->vectors,
        self->in,          self->out,           self->inverting,    self->work,
        self->columns,     face->number,        face->place,        face->class_start,
        face->block_start, face->first,         face->middle,       face->member,
        face->weight,      face->core,          face->common,       face->label,
        face->damping,     face->gram,          face->inverse,      face->share,
        face->leading,     face->leading_start, face->inverse_start};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(self);
}

static bool allocate_rows(tl_pairs *self) {
    const size_t n = self->n, m = self->m, labels = (size_t)self->label_start[n];
    tl_face *face = &self->face;
    self->row = tl_array(n, 1, sizeof *self->row);
    self->start = tl_array(n + 1, 1, sizeof *self->start);
    self->own_start = tl_array(n + 1, 1, sizeof *self->own_start);
    self->own = tl_array(labels, 1, sizeof *self->own);
    self->order = tl_array(n, 1, sizeof *self->order);
    self->warm = tl_doubles(n, TL_WARM);
    self->class_start = tl_array(m + 1, 1, sizeof *self->class_start);
    self->block_start = tl_array(m + 1, 1, sizeof *self->block_start);
    self->columns = tl_array(m, 1, sizeof *self->columns);
    self->work = tl_doubles(2, TL_WORK(m));
    face->class_start = tl_array(m + 1, 1, sizeof *face->class_start);
    face->block_start = tl_array(m + 1, 1, sizeof *face->block_start);
    face->leading_start = tl_array(m + 1, 1, sizeof *face->leading_start);
    face->inverse_start = tl_array(m + 1, 1, sizeof *face->inverse_start);
    face->first = tl_array(n + 1, 1, sizeof *face->first);
    face->middle = tl_array(n, 1, sizeof *face->middle);
    face->core = tl_doubles(n, 3);
    face->common = tl_doubles(n, 3);
    face->label = tl_array(n, 1, sizeof *face->label);
    return self->row && self->start && self->own_start && self->own && self->order && self->warm &&
           self->class_start && self->block_start && self->work && self->columns &&
           face->class_start && face->block_start && face->first && face->middle && face->core &&
           face->common && face->label && face->leading_start && face->inverse_start;
}

static tl_status check(const tl_loss_ops *ops, size_t k, double gamma, double C, size_t n, size_t m,
                       const int64_t *label_start, const int32_t *label, const double *weight,
                       const double *norm2) {
    if (ops == NULL || !ops->quadratic_conjugate || ops->curvature == NULL || ops->centred)
        return TL_ERR_LOSS;
    if (!tl_is_shape(n, m) || n > INT32_MAX || !tl_k_fits(ops, k, m)) return TL_ERR_DIMENSION;
    const tl_status status = tl_check_parameters(gamma, C, n, weight);
    if (status != TL_OK) return status;
    for (size_t i = 0; i < n; i++)
        if (!tl_in_range(norm2[i], 0.0, TL_LARGEST_PARAMETER)) return TL_ERR_PARAMETER;
    return tl_check_labels(ops, n, m, label_start, label);
}

tl_status tl_pairs_create(tl_loss_id loss, size_t k, double gamma, double C, size_t n, size_t m,
                          const int64_t *label_start, const int32_t *label, const double *weight,
                          const double *norm2, int (*is_over)(void *), void *user,
                          tl_pairs **pairs) {
    if (label_start == NULL || label == NULL || norm2 == NULL || pairs == NULL) return TL_ERR_NULL;
    const tl_loss_ops *ops = tl_loss_get(loss);
    const tl_status status = check(ops, k, gamma, C, n, m, label_start, label, weight, norm2);
    if (status != TL_OK) return status;
    tl_pairs *self = calloc(1, sizeof *self);
    if (self == NULL) return TL_ERR_ALLOC;
    self->ops = ops;
    self->params = tl_params_of(ops, k, gamma);
    self->C = C;
    self->n = n;
    self->m = m;
    self->label_start = label_start;
    self->label = label;
    self->weight = weight;
    self->norm2 = norm2;
    self->watch = (tl_watch){.ask = is_over, .user = user};
    self->parts = 1;
    if (!allocate_rows(self)) {
        tl_pairs_free(self);
        return TL_ERR_ALLOC;
    }
    *pairs = self;
    return TL_OK;
}

/* No pairs are chosen. */
static void forget(tl_pairs *self) {
    const size_t bytes = (self->m + 1) * sizeof(size_t);
    self->rows = self->entries = 0;
    self->blocks = NULL;
    memset(self->class_start, 0, bytes);
    memset(self->block_start, 0, bytes);
}

/* ---- parts ---- */

tl_status tl_pairs_share(tl_pairs *self, size_t parts,
                         void (*each)(void *, size_t, void (*)(void *, size_t), void *),
                         void *user) {
    if (self == NULL || each == NULL) return TL_ERR_NULL;
    if (parts < 1 || parts > TL_MOST_PARTS) return TL_ERR_PARAMETER;
    self->parts = parts;
    self->each = each;
    self->each_user = user;
    self->largest_room = 0; /* its array has room for other parts */
    forget(self);
    return TL_OK;
}

void tl_pairs_each(const tl_pairs *self, double work, void (*task)(void *, size_t), void *arg) {
    if (self->each != NULL && work >= TL_SHARED_WORK) {
        self->each(self->each_user, self->parts, task, arg);
        return;
    }
    for (size_t part = 0; part < self->parts; part++)
        task(arg, part);
}

bool tl_pairs_is_over(tl_pairs *self) {
    for (size_t part = 0; part < self->parts; part++)
        if (self->part_is_over[part]) self->watch.is_over = true;
    return self->watch.is_over;
}

size_t tl_pairs_first(const tl_pairs *self, const size_t *start, size_t part) {
    const double share = (double)start[self->m] * (double)part / (double)self->parts;
    size_t c = 0;
    while (c < self->m && (double)start[c] < share)
        c++;
    return part == self->parts ? self->m : c;
}

/* ---- which pairs ---- */

static bool make_room(tl_pairs *self, size_t entries) {
    if (entries <= self->room) return true;
    const size_t room = 2 * entries;
    int32_t *column = realloc(self->column, room * sizeof *column);
    if (column != NULL) self->column = column;
    double *dual = realloc(self->dual, room * sizeof *dual);
    if (dual != NULL) self->dual = dual;
    if (column == NULL || dual == NULL) return false;
    self->room = room;
    return true;
}

/* The pairs of row i whose dual variables are not 0, or would not be after an update of the row;
 * `wanted` (m) tells. With a k, fewer than k classes beside the label can only be 0. Returns
 * whether there are any. */
static bool want(const tl_pairs *self, const tl_row *row, const double *scores, const double *a,
                 bool *wanted) {
    const size_t m = self->m;
    double *a_new = self->work, *rest = a_new + tl_padded(m), warm[TL_WARM] = {NAN, NAN};
    if (!(row->C > 0.0) || !(row->norm2 > 0.0)) return false;
    self->ops->update(row, m, scores, a, a_new, warm, rest);
    size_t count = 0;
    for (size_t j = 0; j < m; j++) {
        wanted[j] = a[j] != 0.0 || a_new[j] != 0.0;
        count += wanted[j];
    }
    if (count == 0) return false;
    if (!self->ops->multiclass) return true;
    const size_t y = (size_t)row->labels[0];
    count += !wanted[y];
    wanted[y] = true;
    for (size_t j = 0; j < m && count < self->params.k + 1; j++) {
        count += !wanted[j];
        wanted[j] = true;
    }
    return true;
}

static void add_row(tl_pairs *self, size_t i, const tl_row *row, const double *a,
                    const bool *wanted) {
    const size_t r = self->rows, first = self->start[r];
    size_t e = first, in = 0;
    int64_t own = self->own_start[r];
    for (size_t j = 0; j < self->m; j++) {
        const bool is_label = tl_is_next_label(row, j, &in);
        if (!wanted[j]) continue;
        if (is_label) self->own[own++] = (int32_t)(e - first);
        self->column[e] = (int32_t)j;
        self->dual[e++] = a[j];
    }
    self->row[r] = i;
    self->start[r + 1] = e;
    self->own_start[r + 1] = own;
    self->rows = r + 1;
}

/* The order of the classes: places, and the starts of the blocks. False where all blocks together
 * have no size. */
static bool sort_by_class(tl_pairs *self) {
    const size_t m = self->m, entries = self->entries, most = PTRDIFF_MAX / sizeof *self->blocks;
    memset(self->class_start, 0, (m + 1) * sizeof *self->class_start);
    for (size_t e = 0; e < entries; e++)
        self->class_start[self->column[e] + 1]++;
    self->block_start[0] = 0;
    for (size_t c = 0; c < m; c++) {
        const size_t t = self->class_start[c + 1];
        if (t > 0 && t > (most - self->block_start[c]) / t) return false;
        self->block_start[c + 1] = self->block_start[c] + t * t;
        self->class_start[c + 1] += self->class_start[c];
    }
    size_t *next = self->face.class_start; /* free until there is a face */
    memcpy(next, self->class_start, m * sizeof *next);
    for (size_t r = 0; r < self->rows; r++)
        for (size_t e = self->start[r]; e < self->start[r + 1]; e++) {
            const size_t place = next[self->column[e]]++;
            self->place[e] = place;
            self->class_row[place] = (int32_t)self->row[r];
        }
    return true;
}

static void *resize(void *array, size_t count, size_t size) {
    free(array);
    return tl_array(count, 1, size);
}

/* The arrays of the pairs, but for those that grew with them; larger ones are kept, as new memory
 * costs more than what is done with it. */
static bool allocate_pairs(tl_pairs *self) {
    const size_t entries = self->entries;
    tl_face *face = &self->face;
    if (self->place != NULL && entries <= self->pair_room) return true;
    self->pair_room = 0;
    self->place = resize(self->place, entries, sizeof *self->place);
    self->trial = resize(self->trial, entries, sizeof *self->trial);
    self->class_row = resize(self->class_row, entries, sizeof *self->class_row);
    self->scores = resize(self->scores, entries, sizeof *self->scores);
    self->moved = resize(self->moved, entries, sizeof *self->moved);
    self->vectors = resize(self->vectors, 5 * entries, sizeof *self->vectors);
    self->in = resize(self->in, entries, sizeof *self->in);
    self->out = resize(self->out, entries, sizeof *self->out);
    face->place = resize(face->place, entries, sizeof *face->place);
    face->number = resize(face->number, entries, sizeof *face->number);
    face->member = resize(face->member, entries, sizeof *face->member);
    face->weight = resize(face->weight, entries, sizeof *face->weight);
    face->share = resize(face->share, entries, sizeof *face->share);
    face->leading = resize(face->leading, entries, sizeof *face->leading);
    face->damping = resize(face->damping, entries, sizeof *face->damping);
    const bool is_there = self->place && self->trial && self->class_row && self->scores &&
                          self->moved && self->vectors && self->in && self->out && face->number &&
                          face->place && face->member && face->weight && face->damping &&
                          face->share && face->leading;
    if (is_there) self->pair_room = entries;
    return is_there;
}

static bool allocate_blocks(tl_pairs *self) {
    size_t largest = 0;
    for (size_t c = 0; c < self->m; c++) {
        const size_t t = self->class_start[c + 1] - self->class_start[c];
        largest = t > largest ? t : largest;
    }
    const size_t triangles = (self->block_start[self->m] + self->entries) / 2;
    tl_face *face = &self->face;
    if (triangles > self->block_room) {
        self->block_room = 0;
        face->gram = resize(face->gram, triangles, sizeof *face->gram);
        face->inverse = resize(face->inverse, triangles, sizeof *face->inverse);
        if (!face->gram || !face->inverse) return false;
        self->block_room = triangles;
    }
    if (largest > self->largest_room) {
        self->largest_room = 0;
        free(self->inverting);
        self->inverting = tl_array(self->parts * 2 * largest, largest, sizeof *self->inverting);
        if (!self->inverting) return false;
        self->largest_room = largest;
    }
    return true;
}

static tl_status select_rows(tl_pairs *self, const double *scores, const double *dual,
                             bool *wanted) {
    const size_t m = self->m;
    self->rows = 0;
    for (size_t i = 0; i < self->n; i++) {
        if (tl_is_over(&self->watch, TL_WORK_OF_CLASS * (double)m)) return TL_ERR_OVER;
        const tl_row row = tl_row_of(self->params, tl_row_C(self->C, self->weight, i),
                                     self->norm2[i], self->label_start, self->label, i);
        if (!want(self, &row, scores + i * m, dual + i * m, wanted)) continue;
        if (!make_room(self, self->start[self->rows] + m)) return TL_ERR_ALLOC;
        add_row(self, i, &row, dual + i * m, wanted);
    }
    self->entries = self->start[self->rows];
    return TL_OK;
}

static tl_status choose(tl_pairs *self, const double *scores, const double *dual) {
    bool *wanted = tl_array(self->m, 1, sizeof *wanted);
    if (wanted == NULL) return TL_ERR_ALLOC;
    const tl_status status = select_rows(self, scores, dual, wanted);
    free(wanted);
    if (status != TL_OK) return status;
    const bool is_there = allocate_pairs(self) && sort_by_class(self) && allocate_blocks(self);
    return is_there ? TL_OK : TL_ERR_ALLOC;
}

tl_status tl_pairs_select(tl_pairs *self, const double *scores, const double *dual, size_t *entries,
                          size_t *numbers) {
    if (self == NULL || scores == NULL || dual == NULL || entries == NULL || numbers == NULL)
        return TL_ERR_NULL;
    self->blocks = NULL;
    const tl_status status = choose(self, scores, dual);
    if (status != TL_OK) {
        forget(self);
        return status;
    }
    for (size_t r = 0; r < self->rows; r++) {
        self->order[r] = r;
        for (size_t e = self->start[r]; e < self->start[r + 1]; e++)
            self->scores[self->place[e]] = scores[self->row[r] * self->m + (size_t)self->column[e]];
    }
    for (size_t i = 0; i < TL_WARM * self->rows; i++)
        self->warm[i] = NAN;
    *entries = self->entries;
    *numbers = self->block_start[self->m];
    return TL_OK;
}

tl_status tl_pairs_classes(const tl_pairs *self, int64_t *class_start, int32_t *rows) {
    if (self == NULL || class_start == NULL || rows == NULL) return TL_ERR_NULL;
    for (size_t c = 0; c <= self->m; c++)
        class_start[c] = (int64_t)self->class_start[c];
    if (self->entries > 0) memcpy(rows, self->class_row, self->entries * sizeof *rows);
    return TL_OK;
}

/* ---- their blocks ---- */

TL_CLONES
static void gather64(size_t count, const int32_t *restrict at, const double *restrict row,
                     float *restrict out) {
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        out[j] = (float)row[at[j]];
}

TL_CLONES
static void gather32(size_t count, const int32_t *restrict at, const float *restrict row,
                     float *restrict out) {
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        out[j] = row[at[j]];
}

typedef struct {
    tl_pairs *pairs;
    tl_type type;
    const void *gram;
    float *blocks;
} gathering;

/* The block of class c. */
static void gather_block(const gathering *to, size_t c, tl_watch *watch) {
    const tl_pairs *self = to->pairs;
    const size_t first = self->class_start[c], t = self->class_start[c + 1] - first;
    const int32_t *rows = self->class_row + first;
    float *block = to->blocks + self->block_start[c];
    for (size_t j = 0; j < t && !tl_is_over(watch, TL_WORK_OF_COPY * (double)t); j++) {
        const size_t start = (size_t)rows[j] * self->n;
        if (to->type == TL_FLOAT32)
            gather32(t, rows, (const float *)to->gram + start, block + j * t);
        else
            gather64(t, rows, (const double *)to->gram + start, block + j * t);
    }
}

static void gather_part(void *arg, size_t part) {
    const gathering *to = arg;
    tl_pairs *self = to->pairs;
    tl_watch watch = self->watch;
    const size_t end = tl_pairs_first(self, self->block_start, part + 1);
    for (size_t c = tl_pairs_first(self, self->block_start, part); c < end; c++)
        gather_block(to, c, &watch);
    self->part_is_over[part] = watch.is_over;
}

tl_status tl_pairs_gather(tl_pairs *self, tl_type type, const void *gram, float *blocks) {
    if (self == NULL || gram == NULL || blocks == NULL) return TL_ERR_NULL;
    if (type != TL_FLOAT32 && type != TL_FLOAT64) return TL_ERR_PARAMETER;
    if (self->entries == 0) return TL_OK;
    gathering to = {self, type, gram, blocks};
    const double work = TL_WORK_OF_COPY * (double)self->block_start[self->m];
    if (tl_is_over(&self->watch, work)) return TL_ERR_OVER;
    tl_pairs_each(self, work, gather_part, &to);
    return tl_pairs_is_over(self) ? TL_ERR_OVER : TL_OK;
}

tl_status tl_pairs_use(tl_pairs *self, const float *blocks) {
    if (self == NULL || blocks == NULL) return TL_ERR_NULL;
    self->blocks = blocks;
    return TL_OK;
}

tl_status tl_pairs_dual(const tl_pairs *self, double *dual) {
    if (self == NULL || dual == NULL) return TL_ERR_NULL;
    for (size_t r = 0; r < self->rows; r++) {
        double *a = dual + self->row[r] * self->m;
        memset(a, 0, self->m * sizeof *a);
        for (size_t e = self->start[r]; e < self->start[r + 1]; e++)
            a[self->column[e]] = self->dual[e];
    }
    return TL_OK;
}
