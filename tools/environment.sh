# shellcheck shell=sh
# Sourced by each script here before it does anything, and by the Makefile for the names in `foreign`:
# variables that users set for their own shells, and that would change what programs below do. With
# CDPATH, `cd` prints a line and may go elsewhere; `nproc` obeys OMP_*; git takes another repository for
# this one in its hooks. How git reaches repositories, GIT_CONFIG_*, stays the user's.
foreign="CDPATH GREP_OPTIONS POSIXLY_CORRECT BASH_ENV ENV OMP_NUM_THREADS OMP_THREAD_LIMIT
    $({ git rev-parse --local-env-vars 2>/dev/null || true; } | sed '/^GIT_CONFIG/d')"
# shellcheck disable=SC2086
unset -v $foreign
