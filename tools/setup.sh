#!/usr/bin/env bash
# Finds or brings what gatherbench needs, then makes .venv for the reports.
#
#   tools/setup.sh [--dev | --packages]
#   --dev       adds what `make test` and `make lint` need
#   --packages  system packages alone, without .venv
#
# With apt-get and root (or sudo) it installs the system packages that are missing; otherwise it
# lists what is missing with the commands that bring it. CXX, MPICXX, MPIEXEC and PYTHON name the
# programs to use; CMAKE_PREFIX_PATH is searched for libraries. Running it again is cheap.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
shopt -s nullglob

say() { printf 'setup: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

dev='' packages_alone=''
for arg; do
    case $arg in
    --dev) dev=1 ;;
    --packages) packages_alone=1 ;;
    *) say "unknown argument '$arg': legal are --dev, --packages or nothing" >&2 && exit 2 ;;
    esac
done

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
source "$root/tools/find_programs.sh"
venv=$root/.venv
stamp=$venv/setup.stamp # line 1: what .venv was made for; then a hash for each finished install
log=$venv/setup.log     # is there while .venv is being filled, and after a failure
apt_log=
trap '[[ -z $apt_log ]] || rm -f -- "$apt_log"' EXIT
trap 'say "interrupted: run it again to go on" >&2; exit 130' INT TERM

# No activated environment and no variable of pip may send anything to another place than .venv.
unset VIRTUAL_ENV PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON
export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONNOUSERSITE=1
PATH=:$PATH:
PATH=${PATH//":$venv/bin:"/:}
PATH=${PATH#:}
PATH=${PATH%:}

# One setup at a time; where the file system has no locks it goes on without.
exec 9<"$root/tools/setup.sh"
busy=0
flock -n -E 75 9 2>/dev/null || busy=$?
((busy != 75)) || { say "another setup is running here: waiting for it" && flock 9; }

# ---- what is missing ---------------------------------------------------------------------------

venv_version() { # prints the version of .venv's Python if .venv is sound
    "$venv/bin/python" -I -c '
import sys, pip
if sys.version_info < (3, 10) or sys.prefix == sys.base_prefix: sys.exit(1)
print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null
}

check_venv() { # sets python_version, and renew if .venv has to be made (again)
    local made_for=
    renew=
    [[ ! -L $venv ]] ||
        die ".venv is a link, and setup touches no environment elsewhere: remove the link"
    [[ -e $venv ]] || { renew="there is none" && return; }
    [[ ! -e $stamp ]] || read -r made_for <"$stamp" || true
    if [[ -e $log ]] && { [[ -z $made_for ]] || grep -q '^Installing collected' "$log"; }; then
        renew="the last setup did not finish"
    elif ! python_version=$(venv_version); then
        renew="its Python does not work"
    elif [[ $made_for && $made_for != "$(identity)" ]]; then
        renew="it was made for $made_for"
    fi
}
identity() { printf 'Python %s in %s' "${python_version%.*}" "$root"; }

# Sets required, entries of: what | apt packages | module | spack | conda; and optional, names of
# libraries and of apt packages.
need() { required+=("$1|$2|$3|$4|$5"); }
look() {
    local library what packages
    required=() optional=() cxx_note=''
    # No package corrects a variable that names an unusable program.
    case ${CXX:-g++} in g++ | c++) packages=g++ ;; clang++) packages=clang ;; *) packages= ;; esac
    what="a C++20 compiler (g++ 11 or newer, or clang++)${CXX:+; CXX=$CXX is none}"
    find_cxx || need "$what" "$packages" gcc gcc gxx
    find_mpicxx || {
        packages=libopenmpi-dev
        [[ $(mpirun --version 2>&1) != *HYDRA* ]] || packages=libmpich-dev
        what="an MPI compiler wrapper (mpicxx)"
        [[ ${MPICXX:-mpicxx} == mpicxx ]] || what+="; MPICXX=$MPICXX is none" packages=
        need "$what" "$packages" openmpi openmpi openmpi
    }
    find_launcher || {
        what="an MPI launcher (mpirun or mpiexec)"
        packages=openmpi-bin
        [[ $mpi != MPICH* ]] || packages=mpich
        [[ -z ${MPIEXEC:-} ]] || what+="; MPIEXEC=$MPIEXEC is none" packages=
        need "$what" "$packages" openmpi openmpi openmpi
    }
    cmake_version=$(new_enough cmake 3 20) || need "cmake 3.20 or newer" cmake cmake cmake cmake
    find_header zlib.h ${ZLIB_ROOT:+"$ZLIB_ROOT"} ${CONDA_PREFIX:+"$CONDA_PREFIX"} ||
        need "zlib's headers" zlib1g-dev zlib zlib zlib
    has make || need make make make gmake make
    has git || need git git git git git
    if [[ $renew ]] && ! find_python; then
        packages=python3-venv
        [[ -x /usr/bin/python3 ]] || packages="python3 $packages"
        need "Python 3.10 or newer with venv and ensurepip" "$packages" python python python
    fi
    if [[ $dev ]]; then
        new_enough clang-format 14 0 >/dev/null ||
            need "clang-format 14 or newer" clang-format llvm llvm clang-format
        PATH=$PATH:/usr/sbin:/sbin has tc || need "ip and tc" iproute2 iproute2 iproute2 iproute2
        PATH=$PATH:/usr/sbin:/sbin has slurmctld || optional+=(slurm-wlm)
        PATH=$PATH:/usr/sbin:/sbin has munged || optional+=(munge)
        has chromium || has google-chrome ||
            need "Chromium, to test reports in" chromium chromium chromium chromium
    fi
    has ninja || optional+=(ninja-build)
    for library in CLI11 fmt nlohmann_json GTest; do
        find_library $library || optional+=("$library")
    done
    # Part of GoogleTest, but a package of its own in Debian.
    find_header gmock/gmock.h ${GTest_ROOT:+"$GTest_ROOT"} || optional+=(GMock)
}

# ---- system packages --------------------------------------------------------------------------

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }
may_install() { # sudo asks for a password only when something is missing that has to be there
    has apt-get || return 1
    ((EUID != 0)) || return 0
    has sudo || return 1
    ! sudo -n true 2>/dev/null || return 0
    [[ -t 0 && ${#required[@]} -gt 0 ]] || return 1
    say "sudo, to install what is missing with apt-get:" && sudo -v
}

apt_failed() { say "apt-get $1 failed: $(grep -m 1 '^E:' "$apt_log")" >&2; }
install_packages() {
    local entry what names name why=''
    local -a packages=() extra=()
    local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    apt_log=$(mktemp)
    as_root "${apt[@]}" update >"$apt_log" 2>&1 || apt_failed update
    for entry in ${required[@]+"${required[@]}"}; do
        IFS='|' read -r what names _ <<<"$entry"
        [[ $names ]] || continue
        why+=", $names for $what"
        read -ra extra <<<"$names"
        packages+=("${extra[@]}")
    done
    for name in ${optional[@]+"${optional[@]}"}; do
        case $name in
        CLI11 | fmt | GTest | GMock) name=lib${name,,}-dev ;;
        nlohmann_json) name=nlohmann-json3-dev ;;
        esac
        apt-cache show "$name" >/dev/null 2>&1 || continue
        why+=", $name"
        packages+=("$name")
    done
    [[ $why ]] || return 0
    say "installing with apt-get what is missing: ${why#, }"
    as_root "${apt[@]}" install -y --no-install-recommends "${packages[@]}" >"$apt_log" 2>&1 ||
        apt_failed install
    hash -r
}

list_missing() {
    local entry what packages module spack conda
    for entry in "${required[@]}"; do
        IFS='|' read -r what packages module spack conda <<<"$entry"
        say "missing: $what"
        [[ $packages ]] || continue
        printf '    %s\n' "module avail $module; module load $module" \
            "spack install $spack; spack load $spack" "conda install -c conda-forge $conda"
        ! has apt-get || printf '    %s\n' "sudo apt-get install --no-install-recommends $packages"
    done
}

check_venv
look
if ((${#required[@]} + ${#optional[@]} > 0)) && may_install; then
    install_packages
    look
fi
if ((${#required[@]} > 0)); then
    list_missing >&2
    say "${#required[@]} missing: run one of the commands below each" \
        "(modules may have other names), then this again" >&2
    exit 1
fi
for name in ${optional[@]+"${optional[@]}"}; do
    case $name in
    slurm-wlm | munge) say "not installed, so tests under Slurm will be skipped: $name" ;;
    ninja-build)
        say "not installed, so Make builds," \
            "and compiles too much when a source file is added: $name"
        ;;
    *) say "not installed, CMake will fetch: $name" ;;
    esac
done
[[ ! $cxx_note ]] || say "$cxx_note"

if [[ $packages_alone ]]; then
    say "ready: $cxx ${cxx_version%% (*}, $mpi, cmake $cmake_version"
    exit
fi

# ---- .venv ------------------------------------------------------------------------------------

pip_install() {
    "$venv/bin/python" -Iu -m pip install "$@" >"$log" 2>&1 && return
    local why
    why=$(grep -m 1 -P '^ERROR: (?!Exception)' "$log" || tail -n 1 "$log")
    ! grep -q 'Retrying (' "$log" || why="the package index cannot be reached (no network?)"
    die "pip failed: $why; see .venv/setup.log and run it again"
}
line() { printf '%s %s\n' "$1" "$({ identity && cat -- "${@:2}"; } | sha256sum | cut -c -64)"; }
finished() { grep -qsxF -- "$1" "$stamp"; }

cd -- "$root"
if [[ $renew ]]; then
    if [[ -e $venv ]]; then # moved first: a removal that is cut short must not leave half of it
        say ".venv is made anew: $renew"
        rm -rf -- "$venv-discarded"
        mv -T -- "$venv" "$venv-discarded"
    fi
    rm -rf -- "$venv-discarded"
    mkdir -- "$venv"
    "$python" -I -m venv "$venv" >"$log" 2>&1 ||
        die "$python cannot make .venv: $(tail -n 1 "$log")"
    python_version=$(venv_version) || die "$python made a .venv that does not work"
    say "made .venv with Python $python_version ($python)"
fi
[[ -s $stamp ]] || identity >"$stamp"

base=$(line base requirements.txt pyproject.toml)
more=
wanted=(-r requirements.txt)
if [[ $dev ]]; then
    more=$(line dev requirements.txt requirements-dev.txt pyproject.toml)
    wanted+=(-r requirements-dev.txt)
fi
if ! finished "$base" || { [[ $more ]] && ! finished "$more"; }; then
    [[ -w $venv ]] ||
        die "$(id -un) may not write to .venv (made with sudo?): remove it and run this again"
    say "installing requirements.txt${dev:+ and requirements-dev.txt} into .venv"
    pip_install "${wanted[@]}"
    finished "$base" || pip_install --no-deps --no-build-isolation -e .
    printf '%s\n' "$(identity)" "$base" ${more:+"$more"} >"$stamp.new"
    mv -- "$stamp.new" "$stamp"
    rm -- "$log"
fi
say "ready: $cxx ${cxx_version%% (*}, $mpi, cmake $cmake_version, Python $python_version in .venv"
