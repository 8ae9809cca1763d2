// Preloaded into the program: lets one call fail, the HOOKE_FAIL_CALL-th of kind HOOKE_FAIL_KIND (write or memory), counted
// from when a model file is opened. The number of calls goes to the file HOOKE_FAIL_COUNT, the name of the library that
// made the failing one to HOOKE_FAIL_WHERE, if those are given.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int is_counting;
static atomic_long calls, fails_at;
static char kind;

// The first library on the stack that is neither this one nor the C library, which asks on behalf of others (strdup, fopen).
static void tell_who(void) {
  const char* path = getenv("HOOKE_FAIL_WHERE");
  const int file = path ? (int)syscall(SYS_open, path, O_CREAT | O_WRONLY | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  void* callers[32];
  Dl_info here, library;
  const int count = backtrace(callers, 32);
  dladdr((void*)tell_who, &here);
  for (int k = 0; k < count; ++k) {
    if (!dladdr(callers[k], &library) || library.dli_fbase == here.dli_fbase || strstr(library.dli_fname, "/libc.so")) continue;
    syscall(SYS_write, file, library.dli_fname, strlen(library.dli_fname));
    break;
  }
  close(file);
}

static int fails(char of) {
  const int this_one =
      atomic_load(&is_counting) && of == kind && atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fails_at);
  if (this_one) {
    atomic_store(&is_counting, 0);  // to look back asks for memory itself
    tell_who();
    atomic_store(&is_counting, 1);
  }
  return this_one;
}

__attribute__((constructor)) static void begin(void) {
  const char* which = getenv("HOOKE_FAIL_KIND");
  const char* number = getenv("HOOKE_FAIL_CALL");
  kind = which ? which[0] : 0;
  atomic_store(&fails_at, number ? atol(number) : 0);
}

__attribute__((destructor)) static void tell(void) {
  atomic_store(&is_counting, 0);
  const char* path = getenv("HOOKE_FAIL_COUNT");
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

static void note(const char* path) {
  const size_t length = strlen(path);
  if (kind && length > 5 && strcmp(path + length - 5, ".yaml") == 0) atomic_store(&is_counting, 1);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int open64(const char* path, int flags, ...) {
  REAL(open64);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  note(path);
  if ((flags & (O_WRONLY | O_RDWR)) && fails('w')) return errno = EACCES, -1;
  return real(path, flags, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  note(path);
  return real(path, mode);
}
ssize_t write(int file, const void* bytes, size_t count) {
  REAL(write);
  if (file > 2 && fails('w')) return errno = ENOSPC, -1;
  return real(file, bytes, count);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  REAL(pwrite64);
  if (fails('w')) return errno = ENOSPC, -1;
  return real(file, bytes, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  REAL(pwrite);
  if (fails('w')) return errno = ENOSPC, -1;
  return real(file, bytes, count, at);
}
int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  if (fails('w')) return errno = ENOSPC, -1;
  return real(file, size);
}
int rename(const char* from, const char* to) {
  REAL(rename);
  if (fails('w')) return errno = EACCES, -1;
  return real(from, to);
}

// dlsym itself may ask for memory: the C library's own names need no look-up.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
void* malloc(size_t size) { return fails('m') ? (errno = ENOMEM, NULL) : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails('m') ? (errno = ENOMEM, NULL) : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails('m') ? (errno = ENOMEM, NULL) : __libc_realloc(old, size); }
