#!/bin/sh
# A wrapper of the compiler: gives the readers among our crates the counters that guide libFuzzer, and `cfg(fuzzing)`.
# All of it is stable. Other crates are compiled as they are: their inner branches would only distract the fuzzer.
case " $* " in
*" --crate-name lacuna_seal "* | *" --crate-name lacuna_types "* | *" --crate-name lacuna_store "* | \
    *" --crate-name lacuna_core "* | *" --crate-name lacuna_program "*)
    exec "$@" --cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
        -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
        -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$@"
