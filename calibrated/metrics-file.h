/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The file with this machine's metrics, for a collector of text files such as that of Prometheus's
 * node exporter. */

#ifndef CPUCYCLES_METRICS_FILE_H
#define CPUCYCLES_METRICS_FILE_H

#include <stdbool.h>

/* Whether a collector would read a file of this name. */
bool metrics_file_is_name(const char *path);

/*
 * Publish what programs find here, whole or not at all. Nothing is measured, except that the
 * library probes the counters if it cannot use the cache. cache_path: the cache that the library
 * shall look at. wait_s: for another run's lock. False: a line says why not.
 */
bool metrics_file_publish(const char *path, const char *cache_path, unsigned wait_s);

#endif
