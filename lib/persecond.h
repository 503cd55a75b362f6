/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The persecond file: its text, and what it says. See cpucyclespersecond(5). */

#ifndef CPUCYCLES_PERSECOND_H
#define CPUCYCLES_PERSECOND_H

#include "frequency.h"
#include "machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A buffer for the text and a 0 after it. Of a longer file, only the start is read. */
#define PERSECOND_TEXT_SIZE 512

/* Why a file gives no number. */
enum persecond_flaw {
	FLAW_NONE,         /* it gives one, or there is no file */
	FLAW_NOT_A_NUMBER, /* the first line is something else */
	FLAW_NOT_A_TEXT,   /* it has a null byte */
	FLAW_NOT_A_FILE,   /* a folder, a FIFO or the like */
	FLAW_UNREADABLE,   /* it cannot be opened or read */
	FLAW_ELSEWHERE,    /* it was not read, because its file system is not local */
	FLAW_DANGLING      /* a link to nothing; only persecond_look tells */
};

/* The first line is a number. The calibrator adds two lines. */
struct persecond_file {
	struct persecond said; /* hz is 0 if there is no answer; source is PERSECOND_FILE, or the
				  source of the calibrator's number */
	bool exists;
	bool ours;                    /* the calibrator wrote it; if false, the sysadmin did */
	char boot[MACHINE_BOOT_SIZE]; /* if ours: the boot in which it was written */
	enum persecond_flaw flaw;
	int error; /* if it is unreadable: a negative errno, or 0 if the look at it faulted */
};

/* The second line consists of the first text, a boot id, the second text and a source's name. The
 * third line has the number once more, so that a number that somebody edits is noticed. */
#define PERSECOND_MARK "# written by cpucycles-calibrated, boot "
#define PERSECOND_MARK_SOURCE ", source "
#define PERSECOND_HINT "# To overrule "
#define PERSECOND_HINT_END ", write another number on the first line.\n"

/* The text of the file as the calibrator writes it. Returns its length; 0 if it does not fit. */
size_t persecond_format(const struct persecond *persecond, const char *boot, char *text,
			size_t size);

/* Pure. length: without the 0 after the text. known_boot: a boot id, or "". A file of that boot is
 * parsed in less time, because the id in it need not be checked digit by digit. */
void persecond_parse(const char *text, size_t length, const char *known_boot,
		     struct persecond_file *file);

/* What the reader of the persecond file knows already, so that it is not asked again. */
struct persecond_known {
	dev_t file_system; /* the number of a local file system; 0: none is known */
	const char *boot;  /* see persecond_parse */
};

/* Where a read may fault, to be called in a file_guard_call. After a fault the file exists and
 * has no answer. known: may be NULL. */
void persecond_read(const char *path, const struct persecond_known *known,
		    struct persecond_file *file);

/*
 * The same for programs, with one more system call: a symbolic link to a file that does not exist
 * is somebody's too. It exists then, and has no answer. text: NULL, or a buffer of
 * PERSECOND_TEXT_SIZE that gets what was read, so that a program can show it.
 */
void persecond_look(const char *path, struct persecond_file *file, char *text);

/* The number of the file that counts in this boot, and its source; NULL if there is none. What the
 * calibrator wrote counts only in the boot in which it was written. boot: this boot's id, or "" if
 * there is none. */
const struct persecond *persecond_answer(const struct persecond_file *file, const char *boot);

#endif
