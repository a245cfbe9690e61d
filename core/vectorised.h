// A mark for functions with a plain loop over many numbers: the compiler makes one version for each instruction set,
// and the processor is asked at run time which one to use. Needs a compiler and a C library that can; elsewhere it
// means nothing. ThreadSanitizer crashes on such functions before main().
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TINYLM_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TINYLM_THREAD_SANITIZER
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) && !defined(TINYLM_THREAD_SANITIZER)
#if __has_attribute(target_clones)
#define TINYLM_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef TINYLM_VECTORISED
#define TINYLM_VECTORISED
#endif
