/* SPDX-License-Identifier: MIT
 *
 * settings.h: the caller's settings as this version of the library knows them.
 */
#ifndef TL_SETTINGS_H
#define TL_SETTINGS_H

#include "toplabel.h"

/* TL_ERR_PARAMETER for what was not made by ..._init, or sets what this version does not know.
 */
tl_status tl_settings_copy(const tl_settings *given, tl_settings *settings);
tl_status tl_stopping_copy(const tl_stopping *given, tl_stopping *stopping);
tl_status tl_online_settings_copy(const tl_online_settings *given, tl_online_settings *settings);

#endif /* TL_SETTINGS_H */
