#!/bin/sh
# The installed library as its users see it: exported names, pkg-config, CMake, the examples and the
# README's program in C against both libraries, the header in C++, R, a staged installation, and its removal.
# Run by `make test`, which passes CC, MAKE, BUILD, SHARED and PYTHON.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-cc} CXX=${CXX:-c++} MAKE=${MAKE:-make} BUILD=${BUILD:-build} SHARED=${SHARED-yes} PYTHON=${PYTHON:-python3}
here=$PWD
STRICT="-Wall -Wextra -Wpedantic -Werror -O1"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
prefix=$room/usr
lib=$prefix/lib

fail() {
    echo "install: $*" >&2
    exit 1
}

$MAKE --silent --no-print-directory install PREFIX="$prefix" BUILD="$BUILD" SHARED="$SHARED"

flags() {
    if command -v pkg-config > /dev/null; then
        PKG_CONFIG_PATH=$lib/pkgconfig pkg-config "$@" toplabel
    elif [ "$1" = --cflags ]; then
        echo "-I$prefix/include"
    else
        echo "-L$lib -ltoplabel"
    fi
}

# One program against both libraries: build NAME SOURCES... ; then run it.
try() {
    name=$1
    shift
    $CC -std=c11 $STRICT $(flags --cflags) -o "$room/$name-static" "$@" "$lib/libtoplabel.a" -lm ||
        fail "$name does not link with the static library"
    "$room/$name-static" > "$room/$name.out" || fail "$name fails"
    [ -n "$SHARED" ] || return 0
    $CC -std=c11 $STRICT $(flags --cflags) -o "$room/$name-shared" "$@" $(flags --libs) -lm \
        -Wl,-rpath,"$lib" || fail "$name does not link with the shared library"
    "$room/$name-shared" > "$room/$name.out" || fail "$name fails with the shared library"
}

try train examples/train.c
cat "$room/train.out"
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$room/readme.c"
try readme "$room/readme.c"

blas=tests/reference_blas.c
for candidate in -lopenblas -lblas; do
    if $CC -o "$room/blas" examples/blas.c $(flags --cflags) "$lib/libtoplabel.a" "$candidate" -lm 2> /dev/null
    then
        blas=$candidate
        break
    fi
done
try blas examples/blas.c "$blas"
sed "s|^|$blas: |" "$room/blas.out"

if command -v "$CXX" > /dev/null; then
    cat > "$room/main.cpp" << 'END'
#include <toplabel.h>
int main() {
    double x[2] = {3.0, -1.0}, work[2];
    return tl_prox_topk_simplex_beta(2, x, 1, 1.0, 0.0, x, work) == TL_OK && x[0] == 1.0 ? 0 : 1;
}
END
    $CXX $STRICT $(flags --cflags) -o "$room/cxx" "$room/main.cpp" "$lib/libtoplabel.a" -lm
    "$room/cxx" || fail "the C++ program fails"
fi

if [ -n "$SHARED" ] && command -v nm > /dev/null; then
    nm -D --defined-only "$lib/libtoplabel.so" | awk '{ print $3 }' | sort > "$room/exported"
    sed -n '/TL_CFFI_BEGIN/,/TL_CFFI_END/p' include/toplabel.h |
        sed -n 's/^TL_API .*[ *]\(tl_[A-Za-z0-9_]*\)(.*/\1/p' | sort > "$room/declared"
    diff "$room/declared" "$room/exported" || fail "exported (>) are not the declared functions (<)"
fi

if command -v cmake > /dev/null; then
    mkdir "$room/from-cmake"
    cp -r examples "$room/from-cmake/"
    cmake -S "$room/from-cmake/examples/cmake" -B "$room/from-cmake/build" -D CMAKE_PREFIX_PATH="$prefix" \
        -D CMAKE_C_COMPILER="$CC" > "$room/cmake.log" 2>&1 &&
        cmake --build "$room/from-cmake/build" >> "$room/cmake.log" 2>&1 || fail "$(cat "$room/cmake.log")"
    "$room/from-cmake/build/train" > "$room/cmake.out" || fail "the program built by CMake fails"
fi

if [ -n "$SHARED" ] && command -v R > /dev/null; then
    cp examples/r/* "$room/"
    (cd "$room" && PKG_CFLAGS=$(flags --cflags) PKG_LIBS="$(flags --libs) -Wl,-rpath,$lib" \
        R CMD SHLIB toplabel.c > r.log 2>&1) || fail "$(cat "$room/r.log")"
    (cd "$room" && Rscript toplabel.R) || fail "the library fails from R"
fi

if [ -n "$SHARED" ] && $PYTHON -c 'import cffi' 2> /dev/null; then
    (cd "$room" && TOPLABEL_USE_SYSTEM=1 CC=$CC CFLAGS=$(flags --cflags) LDFLAGS="-L$lib -Wl,-rpath,$lib" \
        $PYTHON "$here/../pylib/build_native.py" > extension.log 2>&1) || fail "$(cat "$room/extension.log")"
    (cd "$room/toplabel" && $PYTHON -c 'import _native; _native.lib.tl_version_number()') ||
        fail "the extension with the installed library cannot be loaded"
fi

# The arithmetic of x87 is refused, where the compiler has it.
echo "int main(void) { return 0; }" > "$room/empty.c"
if $CC -mfpmath=387 -fsyntax-only "$room/empty.c" 2> /dev/null; then
    ! $CC -std=c11 -mfpmath=387 -Iinclude -fsyntax-only src/vector.c 2> "$room/x87.log" ||
        fail "x87 arithmetic is not refused"
    grep -q "double precision" "$room/x87.log" || fail "$(cat "$room/x87.log")"
fi

stage=$room/stage
$MAKE --silent --no-print-directory install DESTDIR="$stage" PREFIX=/usr BUILD="$BUILD" SHARED="$SHARED"
grep -q '^prefix=/usr$' "$stage/usr/lib/pkgconfig/toplabel.pc" || fail "DESTDIR leaks into toplabel.pc"
grep -q '"/usr/lib/libtoplabel.a"' "$stage/usr/lib/cmake/toplabel/toplabel-config.cmake" ||
    fail "DESTDIR leaks into toplabel-config.cmake"
$MAKE --silent --no-print-directory uninstall DESTDIR="$stage" PREFIX=/usr
[ -z "$(find "$stage" ! -type d)" ] || fail "uninstall leaves files"
echo "install: passed"
