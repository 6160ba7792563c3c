/* SPDX-License-Identifier: MIT */
/* Status codes as text. No default branch, so that the compiler warns about a code without a text.
 */
#include "toplabel.h"

const char *tl_status_text(tl_status status) {
    switch (status) {
    case TL_OK:
        return "success";
    case TL_ERR_NULL:
        return "a required pointer is NULL";
    case TL_ERR_ALLOC:
        return "out of memory";
    case TL_ERR_DIMENSION:
        return "a size is out of range";
    case TL_ERR_NOT_FINITE:
        return "a value is NaN or infinite";
    case TL_ERR_OVERFLOW:
        return "the features, C, gamma or W0 are so large that numbers overflow";
    case TL_ERR_LABEL:
        return "a label is out of range, repeated or unsorted, or a row has the wrong number";
    case TL_ERR_PARAMETER:
        return "a parameter is out of range";
    case TL_ERR_LOSS:
        return "unknown loss, or a loss that does not fit";
    case TL_ERR_INDEX:
        return "a row start or column of the sparse matrix is out of range, repeated or unsorted";
    case TL_ERR_GRAM:
        return "the Gram matrix has a negative diagonal entry or is not symmetric";
    case TL_ERR_INDEFINITE:
        return "the Gram matrix is not positive semidefinite";
    case TL_ERR_INFEASIBLE:
        return "the starting dual variables are not feasible";
    case TL_ERR_OVER:
        return "the caller has ended the call";
    case TL_STATUS_COUNT:
        break;
    }
    return "unknown status";
}

const char *tl_version(void) {
    return TL_VERSION;
}

int tl_version_number(void) {
    return TL_VERSION_NUMBER;
}
