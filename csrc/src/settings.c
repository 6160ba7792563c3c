/* SPDX-License-Identifier: MIT */
/* Settings of programs that were compiled with this version of the header or another. */
#include "settings.h"

#include <math.h>
#include <string.h>

/* A structure may be longer than it is known here, or shorter: what both know is copied, what the
 * caller does not know is 0, and what the library does not know must be. */

static void set_up(void *settings, size_t size, const void *defaults, size_t known) {
    if (settings == NULL) return;
    memset(settings, 0, size);
    memcpy(settings, defaults, size < known ? size : known);
    memcpy(settings, &size, sizeof size);
}

static tl_status copy(const void *given, size_t least, void *settings, size_t known) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < least) return TL_ERR_PARAMETER; /* not made by ..._init */
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i] != 0) return TL_ERR_PARAMETER;
    memset(settings, 0, known);
    memcpy(settings, given, size < known ? size : known);
    return TL_OK;
}

void tl_settings_init(tl_settings *settings, size_t size) {
    const tl_settings defaults = {
        .loss = TL_LOSS_SVM_MULTI, .k = 1, .C = 1.0, .acceleration = -1.0};
    set_up(settings, size, &defaults, sizeof defaults);
}

void tl_stopping_init(tl_stopping *stopping, size_t size) {
    const tl_stopping defaults = {.tol = 1e-3, .max_iter = 1000};
    set_up(stopping, size, &defaults, sizeof defaults);
}

void tl_online_settings_init(tl_online_settings *settings, size_t size) {
    const tl_online_settings defaults = {
        .loss = TL_SIMPLEX_SC_SVM, .lambda = 1.0, .radius = INFINITY, .epochs = 1};
    set_up(settings, size, &defaults, sizeof defaults);
}

/* The fields of version 1.0.0 are the least; a later one adds its own behind them. */

tl_status tl_settings_copy(const tl_settings *given, tl_settings *settings) {
    return copy(given, sizeof *settings, settings, sizeof *settings);
}

tl_status tl_stopping_copy(const tl_stopping *given, tl_stopping *stopping) {
    return copy(given, sizeof *stopping, stopping, sizeof *stopping);
}

tl_status tl_online_settings_copy(const tl_online_settings *given, tl_online_settings *settings) {
    return copy(given, sizeof *settings, settings, sizeof *settings);
}
