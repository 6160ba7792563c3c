/* SPDX-License-Identifier: MIT */
/* The face of the dual's domain on which a point lies: its free pairs, their blocks of the Gram
 * matrix and the inverses of these, and the projector onto the directions that stay on the face. */
#include "pairs.h"
#include "tuning.h"

#include <string.h>

/* ---- the rows' projectors ---- */

/* h = J 1 of the row that is added. */
static void set_common(tl_face *face, size_t end) {
    const size_t r = face->rows, first = face->first[r], middle = face->middle[r];
    const double *core = face->core + 3 * r;
    double *common = face->common + 3 * r, sums[2] = {0.0, 0.0}, square = 0.0;
    for (size_t e = first; e < end; e++)
        sums[e >= middle] += tl_factor_of(face->weight[e]);
    common[0] = core[0] * sums[0] + core[1] * sums[1];
    common[1] = core[1] * sums[0] + core[2] * sums[1];
    for (size_t e = first; e < end; e++) {
        const double h = face->weight[e] + tl_factor_of(face->weight[e]) * common[e >= middle];
        square += h * h;
    }
    common[2] = square > TL_AT_BOUND ? 1.0 / (1.0 + square) : 0.0;
}

/* Adds row r of the set; its members are places of the set as yet. Returns whether it has any. */
static bool add_row(tl_pairs *self, size_t r) {
    tl_face *face = &self->face;
    const size_t first = face->first[face->rows], width = tl_pairs_width(self, r);
    const size_t *place = self->place + self->start[r];
    const double *a = self->dual + self->start[r];
    const tl_row row = tl_pairs_row(self, r);
    tl_curvature free_part = {.column = self->columns, .weight = face->weight + first};
    for (size_t j = 0; j < width; j++)
        self->work[j] = -a[j] / row.C;
    self->ops->curvature(&row, width, self->work, &free_part);
    if (free_part.count == 0) return false;
    for (size_t e = 0; e < free_part.count; e++)
        face->member[first + e] = place[free_part.column[e]];
    face->middle[face->rows] = first + free_part.middle;
    memcpy(face->core + 3 * face->rows, free_part.core, sizeof free_part.core);
    set_common(face, first + free_part.count);
    const bool moves = self->ops->differences && face->common[3 * face->rows + 2] > 0.0;
    face->label[face->rows] = moves ? place[row.labels[0]] : TL_NOT_FREE;
    face->first[++face->rows] = first + free_part.count;
    return true;
}

/* The diagonal of P: how much of a direction of its own each free pair has. */
static void find_shares(tl_face *face, bool differences) {
    for (size_t r = 0; r < face->rows; r++) {
        const double *core = face->core + 3 * r, *common = face->common + 3 * r;
        double square = 0.0;
        for (size_t e = face->first[r]; e < face->first[r + 1]; e++) {
            const size_t side = e >= face->middle[r];
            const double factor = tl_factor_of(face->weight[e]);
            const double h = differences ? face->weight[e] + factor * common[side] : 0.0;
            face->share[face->member[e]] =
                face->weight[e] + factor * factor * core[2 * side] - h * h * common[2];
            square += h * h;
        }
        if (face->label[r] != TL_NOT_FREE) face->share[face->label[r]] = square * common[2];
    }
}

/* v <- P v for a row. */
static void project_row(const tl_face *face, size_t r, bool differences, double *v) {
    const size_t first = face->first[r], middle = face->middle[r], end = face->first[r + 1];
    const double *core = face->core + 3 * r, *common = face->common + 3 * r;
    const size_t label = face->label[r];
    const double at_label = label == TL_NOT_FREE ? 0.0 : v[label], sign = differences ? -1.0 : 1.0;
    double sums[2] = {0.0, 0.0}, along = 0.0, total = 0.0;
    for (size_t e = first; e < end; e++) {
        const double value = at_label + sign * v[face->member[e]];
        const double factor = tl_factor_of(face->weight[e]);
        sums[e >= middle] += factor * value;
        along += (face->weight[e] + factor * common[e >= middle]) * value;
    }
    along = differences ? along * common[2] : 0.0;
    const double moves[] = {core[0] * sums[0] + core[1] * sums[1] - along * common[0],
                            core[1] * sums[0] + core[2] * sums[1] - along * common[1]};
    for (size_t e = first; e < end; e++) {
        const double value = at_label + sign * v[face->member[e]];
        const double moved =
            face->weight[e] * (value - along) + tl_factor_of(face->weight[e]) * moves[e >= middle];
        v[face->member[e]] = sign * moved;
        total += moved;
    }
    if (label != TL_NOT_FREE) v[label] = total;
}

void tl_face_project(const tl_pairs *self, double *v) {
    for (size_t r = 0; r < self->face.rows; r++)
        project_row(&self->face, r, self->ops->differences, v);
}

/* ---- the order of the classes ---- */

/* `number` tells which free pair a place is; members and labels become free pairs. */
static void number_places(tl_pairs *self) {
    tl_face *face = &self->face;
    for (size_t p = 0; p < self->entries; p++)
        face->number[p] = TL_NOT_FREE;
    for (size_t e = 0; e < face->first[face->rows]; e++)
        face->number[face->member[e]] = 0;
    for (size_t r = 0; r < face->rows; r++)
        if (face->label[r] != TL_NOT_FREE) face->number[face->label[r]] = 0;
    size_t count = 0;
    face->block_start[0] = 0;
    for (size_t c = 0; c < self->m; c++) {
        face->class_start[c] = count;
        for (size_t p = self->class_start[c]; p < self->class_start[c + 1]; p++)
            if (face->number[p] != TL_NOT_FREE) {
                face->place[count] = p;
                face->number[p] = count++;
            }
        const size_t t = count - face->class_start[c];
        face->block_start[c + 1] = face->block_start[c] + t * (t + 1) / 2;
    }
    face->class_start[self->m] = face->count = count;
    for (size_t e = 0; e < face->first[face->rows]; e++)
        face->member[e] = face->number[face->member[e]];
    for (size_t r = 0; r < face->rows; r++)
        if (face->label[r] != TL_NOT_FREE) face->label[r] = face->number[face->label[r]];
}

static void set_damping(tl_pairs *self, double damping) {
    tl_face *face = &self->face;
    for (size_t r = 0; r < self->rows; r++) {
        const tl_row row = tl_pairs_row(self, r);
        const size_t label = self->ops->multiclass ? (size_t)row.labels[0] : TL_NOT_FREE;
        for (size_t j = 0; j < tl_pairs_width(self, r); j++) {
            const size_t free_pair = face->number[self->place[self->start[r] + j]];
            if (free_pair != TL_NOT_FREE)
                face->damping[free_pair] =
                    (j == label ? 0.0 : self->params.gamma / row.C) + damping * row.norm2;
        }
    }
}

/* ---- blocks ---- */

/* The block of class c. */
static void copy_block(tl_pairs *self, size_t c) {
    const tl_face *face = &self->face;
    const size_t first = face->class_start[c], t = face->class_start[c + 1] - first;
    const size_t start = self->class_start[c], stride = self->class_start[c + 1] - start;
    const size_t *place = face->place + first;
    float *out = face->gram + face->block_start[c];
    for (size_t i = 0; i < t; i++) {
        const float *row = self->blocks + self->block_start[c] + (place[i] - start) * stride;
        for (size_t j = 0; j <= i; j++)
            *out++ = row[place[j] - start];
    }
}

/* In `square` the lower triangle of the block of the leading pairs, with a larger diagonal. */
static void copy_leading(const tl_face *face, size_t c, size_t t, float *square) {
    const size_t *leading = face->leading + face->leading_start[c];
    const float *gram = face->gram + face->block_start[c];
    const size_t first = face->class_start[c];
    double sum = 0.0;
    for (size_t i = 0; i < t; i++) {
        const size_t row = leading[i] - first;
        for (size_t j = 0; j <= i; j++)
            square[i * t + j] = gram[row * (row + 1) / 2 + leading[j] - first];
        sum += (double)square[i * t + i];
    }
    const double least = TL_BLOCK_SHIFT * sum / (double)t;
    for (size_t i = 0; i < t; i++)
        square[i * t + i] += (float)fmax(face->damping[leading[i]], least);
}

/* Of a block that rounding has left indefinite: that of its diagonal. */
static void invert_diagonal(size_t t, const float *square, float *inverse) {
    memset(inverse, 0, t * (t + 1) / 2 * sizeof *inverse);
    for (size_t i = 0; i < t; i++) {
        const float value = square[i * t + i];
        inverse[i * (i + 1) / 2 + i] = value > 0.0F ? 1.0F / value : 1.0F;
    }
}

/* The free pairs of which the preconditioner has the blocks. */
static void find_leading(tl_pairs *self) {
    tl_face *face = &self->face;
    size_t end = 0;
    face->leading_start[0] = face->inverse_start[0] = 0;
    for (size_t c = 0; c < self->m; c++) {
        for (size_t i = face->class_start[c]; i < face->class_start[c + 1]; i++)
            if (face->share[i] >= TL_LEAST_SHARE) face->leading[end++] = i;
        const size_t t = end - face->leading_start[c];
        face->leading_start[c + 1] = end;
        face->inverse_start[c + 1] = face->inverse_start[c] + t * (t + 1) / 2;
    }
}

/* The inverse of the block of the leading pairs of class c; square: twice its size. */
static void invert_block(tl_pairs *self, size_t c, float *square) {
    tl_face *face = &self->face;
    const size_t t = face->leading_start[c + 1] - face->leading_start[c];
    float *inverse = face->inverse + face->inverse_start[c];
    copy_leading(face, c, t, square);
    if (!tl_invert(t, square, inverse, square + t * t)) {
        copy_leading(face, c, t, square);
        invert_diagonal(t, square, inverse);
    }
}

static void set_part(void *arg, size_t part) {
    tl_pairs *self = arg;
    const size_t *start = self->face.block_start;
    const size_t end = tl_pairs_first(self, start, part + 1);
    float *square = self->inverting + part * 2 * self->largest_room * self->largest_room;
    tl_watch watch = self->watch;
    for (size_t c = tl_pairs_first(self, start, part); c < end; c++) {
        const double t = (double)(self->face.leading_start[c + 1] - self->face.leading_start[c]);
        copy_block(self, c);
        if (t == 0.0) continue;
        if (tl_is_over(&watch, t * t * t)) break;
        invert_block(self, c, square);
    }
    self->part_is_over[part] = watch.is_over;
}

static tl_status set_blocks(tl_pairs *self) {
    const double work = 2.0 * (double)self->face.block_start[self->m];
    find_leading(self);
    tl_pairs_each(self, work, set_part, self);
    return tl_pairs_is_over(self) || tl_is_over(&self->watch, work) ? TL_ERR_OVER : TL_OK;
}

tl_status tl_pairs_find_face(tl_pairs *self, double damping) {
    self->face.rows = 0;
    for (size_t r = 0; r < self->rows; r++)
        add_row(self, r);
    number_places(self);
    if (self->face.count == 0) return TL_OK; /* without pairs there may be no arrays */
    find_shares(&self->face, self->ops->differences);
    set_damping(self, damping);
    return set_blocks(self);
}

/* ---- products ---- */

/* out = A v with the lower triangle of a symmetric matrix, which is read once. */
TL_CLONES
static void multiply_triangle(size_t n, const float *restrict row, const float *restrict v,
                              float *restrict out) {
    for (size_t i = 0; i < n; i++) {
        const float factor = v[i];
        float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < i; j++) {
            sum += row[j] * v[j];
            out[j] += factor * row[j];
        }
        out[i] = sum + row[i] * factor;
        row += i + 1;
    }
}

/* self->out = the blocks times self->in */
typedef struct {
    tl_pairs *pairs;
    const size_t *class_start, *block_start;
    const float *blocks;
} multiplication;

static void multiply_part(void *arg, size_t part) {
    const multiplication *by = arg;
    tl_pairs *self = by->pairs;
    const size_t end = tl_pairs_first(self, by->block_start, part + 1);
    for (size_t c = tl_pairs_first(self, by->block_start, part); c < end; c++) {
        const size_t first = by->class_start[c], t = by->class_start[c + 1] - first;
        multiply_triangle(t, by->blocks + by->block_start[c], self->in + first, self->out + first);
    }
}

static void multiply_blocks(multiplication by) {
    const double work = 2.0 * (double)by.block_start[by.pairs->m];
    tl_pairs_each(by.pairs, work, multiply_part, &by);
}

void tl_face_multiply(tl_pairs *self, const double *v, double *out) {
    const tl_face *face = &self->face;
    for (size_t p = 0; p < face->count; p++)
        self->in[p] = (float)v[p];
    multiply_blocks((multiplication){self, face->class_start, face->block_start, face->gram});
    for (size_t p = 0; p < face->count; p++)
        out[p] = (double)self->out[p] + face->damping[p] * v[p];
}

void tl_face_divide(tl_pairs *self, const double *v, double *out) {
    const tl_face *face = &self->face;
    const size_t count = face->leading_start[self->m];
    for (size_t p = 0; p < count; p++)
        self->in[p] = (float)v[face->leading[p]];
    multiply_blocks(
        (multiplication){self, face->leading_start, face->inverse_start, face->inverse});
    memset(out, 0, face->count * sizeof *out);
    for (size_t p = 0; p < count; p++)
        out[face->leading[p]] = (double)self->out[p];
}
