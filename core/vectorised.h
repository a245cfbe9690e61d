// A mark for functions with a plain loop over many numbers: the compiler makes one version for each instruction set, and the
// processor is asked at run time which one to use. Needs a compiler and a C library that can; elsewhere it means nothing.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define TINYLM_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef TINYLM_VECTORISED
#define TINYLM_VECTORISED
#endif
