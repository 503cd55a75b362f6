/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The linker's names for the library's internal functions and objects. The symbol map hides them in
 * the shared library. The static library has nothing that hides them, so without a prefix a
 * program's own file_open() would silently take the place of the library's. config.h includes this
 * file, so that library, programs and tests agree on the names.
 *
 * One line per global symbol, sorted. A counter needs no line, because its name has the prefix
 * already. Each name here is a macro, which would rename a structure's member of the same name
 * too. No name here is therefore a single common word: each has an underscore.
 * tests/consistency/symbols.sh checks all this.
 */

#ifndef CPUCYCLES_NAMES_H
#define CPUCYCLES_NAMES_H

#define cache_fact_name cpucycles_i_cache_fact_name
#define cache_format cpucycles_i_cache_format
#define cache_load cpucycles_i_cache_load
#define cache_open cpucycles_i_cache_open
#define cache_parse cpucycles_i_cache_parse
#define cache_parse_header cpucycles_i_cache_parse_header
#define cache_parse_usable cpucycles_i_cache_parse_usable
#define cache_status_name cpucycles_i_cache_status_name
#define choose_cache cpucycles_i_choose_cache
#define choose_counter cpucycles_i_choose_counter
#define choose_rate cpucycles_i_choose_rate
#define clock_by_syscall cpucycles_i_clock_by_syscall
#define core_pmus_find cpucycles_i_core_pmus_find
#define core_register_clock cpucycles_i_core_register_clock
#define core_register_closed cpucycles_i_core_register_closed
#define core_register_setup cpucycles_i_core_register_setup
#define core_register_stopped cpucycles_i_core_register_stopped
#define core_register_this cpucycles_i_core_register_this
#define counter_class_name cpucycles_i_counter_class_name
#define counters_count cpucycles_i_counters_count
#define counters_find cpucycles_i_counters_find
#define counters_hash cpucycles_i_counters_hash
#define counters_last_resort cpucycles_i_counters_last_resort
#define counters_list cpucycles_i_counters_list
#define decimal_parse cpucycles_i_decimal_parse
#define decimal_whole cpucycles_i_decimal_whole
#define disagree_differ cpucycles_i_disagree_differ
#define disagree_sentence cpucycles_i_disagree_sentence
#define environment_get cpucycles_i_environment_get
#define environment_is_hostile cpucycles_i_environment_is_hostile
#define file_close cpucycles_i_file_close
#define file_fill cpucycles_i_file_fill
#define file_guard_call cpucycles_i_file_guard_call
#define file_open cpucycles_i_file_open
#define file_open_regular cpucycles_i_file_open_regular
#define file_read cpucycles_i_file_read
#define fixup_skip cpucycles_i_fixup_skip
#define frequency_cpu cpucycles_i_frequency_cpu
#define frequency_environment cpucycles_i_frequency_environment
#define frequency_estimate cpucycles_i_frequency_estimate
#define frequency_file_answers cpucycles_i_frequency_file_answers
#define frequency_format_file cpucycles_i_frequency_format_file
#define frequency_is_machines cpucycles_i_frequency_is_machines
#define frequency_is_sane cpucycles_i_frequency_is_sane
#define frequency_linux cpucycles_i_frequency_linux
#define frequency_os cpucycles_i_frequency_os
#define frequency_parse_file cpucycles_i_frequency_parse_file
#define frequency_read_file cpucycles_i_frequency_read_file
#define frequency_source_find cpucycles_i_frequency_source_find
#define frequency_source_name cpucycles_i_frequency_source_name
#define guard_acquire cpucycles_i_guard_acquire
#define guard_call cpucycles_i_guard_call
#define guard_install cpucycles_i_guard_install
#define guard_keep cpucycles_i_guard_keep
#define guard_release cpucycles_i_guard_release
#define lock_release cpucycles_i_lock_release
#define lock_take cpucycles_i_lock_take
#define machine_boot cpucycles_i_machine_boot
#define machine_identity cpucycles_i_machine_identity
#define machine_is_boot cpucycles_i_machine_is_boot
#define perfevent_closed cpucycles_i_perfevent_closed
#define perfevent_generation cpucycles_i_perfevent_generation
#define perfevent_read cpucycles_i_perfevent_read
#define perfevent_read_closed cpucycles_i_perfevent_read_closed
#define perfevent_renew cpucycles_i_perfevent_renew
#define perfevent_setup cpucycles_i_perfevent_setup
#define perfevent_setup_counts cpucycles_i_perfevent_setup_counts
#define perfevent_setup_cycles cpucycles_i_perfevent_setup_cycles
#define perfevent_teardown cpucycles_i_perfevent_teardown
#define perfevent_this cpucycles_i_perfevent_this
#define probe_all cpucycles_i_probe_all
#define probe_briefly cpucycles_i_probe_briefly
#define probe_counter cpucycles_i_probe_counter
#define probe_keep_rate cpucycles_i_probe_keep_rate
#define probe_teardown cpucycles_i_probe_teardown
#define rate_nanoseconds cpucycles_i_rate_nanoseconds
#define reason_name cpucycles_i_reason_name
#define selection_can_win cpucycles_i_selection_can_win
#define selection_penalty cpucycles_i_selection_penalty
#define selection_rank cpucycles_i_selection_rank
#define selection_scaling cpucycles_i_selection_scaling
#define selection_smallest_step cpucycles_i_selection_smallest_step
#define selection_winner cpucycles_i_selection_winner
#define text_is cpucycles_i_text_is
#define text_skip cpucycles_i_text_skip
#define thread_exists cpucycles_i_thread_exists
#define thread_id cpucycles_i_thread_id
#define thread_is_guest cpucycles_i_thread_is_guest
#define x86_base_hz cpucycles_i_x86_base_hz
#define x86_hypervisor_hz cpucycles_i_x86_hypervisor_hz
#define x86_multiplier_hz cpucycles_i_x86_multiplier_hz
#define x86_perf_page_hz cpucycles_i_x86_perf_page_hz
#define x86_tsc_hz cpucycles_i_x86_tsc_hz

#endif
