#!/bin/sh
# The test programs on other processors and systems, compiled for them and run under emulation:
#
#   tests/platforms.sh [NAME...]     by default all of them
#
# A platform whose compiler or emulator is missing is left out, and what Debian calls them is said.
set -eu
cd "$(dirname "$0")/.."
export WINEPREFIX="$PWD/build/platforms/wine" WINEDEBUG=-all
failed=0

is_missing() { # COMMAND...; prints it
    for command; do
        command -v "$command" > /dev/null || { echo "$command"; return 0; }
    done
    return 1
}

cpu_seconds() { # of this shell's children
    sed 's/.*) //' /proc/$$/stat | awk -v tick="$(getconf CLK_TCK)" '{ print ($14 + $15) / tick }'
}

run() { # NAME COMPILER EMULATOR PACKAGES [ARGUMENT OF MAKE...]
    name=$1 compiler=$2 emulator=$3 packages=$4
    shift 4
    if lacking=$(is_missing "$compiler" $emulator); then
        echo "$name: left out, no $lacking (apt-get install --no-install-recommends $packages)"
        return
    fi
    build=build/platforms/$name log=build/platforms/$name.log
    mkdir -p build/platforms
    before=$(cpu_seconds)
    if make --silent unit CC="$compiler" RUN="$emulator" WERROR=-Werror BUILD="$build" LDFLAGS=-static "$@" > "$log" 2>&1; then
        seconds=$(echo "$(cpu_seconds) $before" | awk '{ printf "%.0f", $1 - $2 }')
        version=$(test -z "$emulator" || "$emulator" --version | head -n 1)
        echo "$name: $(grep -c ' checks, 0 failed' "$log") programs passed in $seconds s," \
            "gcc $("$compiler" -dumpfullversion), ${version:-no emulator}"
    else
        tail -n 20 "$log"
        echo "$name: FAILED, $PWD/$log"
        failed=1
    fi
}

on_linux() { # NAME TRIPLET QEMU'S NAME DEBIAN'S NAME [ARGUMENT OF MAKE...]
    name=$1 triplet=$2 emulator=qemu-$3-static packages="gcc-$2 libc6-dev-$4-cross qemu-user-static"
    shift 4
    run "$name" "$triplet-gcc" "$emulator" "$packages" "$@"
}

platform() {
    case $1 in
    aarch64) on_linux aarch64 aarch64-linux-gnu aarch64 arm64 ;;
    armhf) on_linux armhf arm-linux-gnueabihf arm armhf ;;
    i686) on_linux i686 i686-linux-gnu i386 i386 CPPFLAGS="-msse2 -mfpmath=sse" ;;
    ppc64le) on_linux ppc64le powerpc64le-linux-gnu ppc64le ppc64el ;;
    riscv64) on_linux riscv64 riscv64-linux-gnu riscv64 riscv64 ;;
    s390x) on_linux s390x s390x-linux-gnu s390x s390x ;;
    musl) run musl musl-gcc "" musl-tools ;;
    # Its isnan is a macro that mentions a float; the library as a DLL is linked, too.
    windows)
        run windows x86_64-w64-mingw32-gcc wine "gcc-mingw-w64-x86-64 wine wine64" \
            CPPFLAGS=-Wno-float-conversion all
        ;;
    *)
        echo "platforms: there is no platform $1" >&2
        exit 2
        ;;
    esac
}

for name in ${*:-aarch64 armhf i686 ppc64le riscv64 s390x musl windows}; do
    platform "$name"
done
exit $failed
