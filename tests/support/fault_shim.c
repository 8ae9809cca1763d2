// Preloaded into the program: lets one call fail, the HOOKE_FAIL_CALL-th of kind HOOKE_FAIL_KIND (write or memory), counted
// from when a model file is opened. The number of calls goes to the file HOOKE_FAIL_COUNT, the name of the library that
// made the failing one to HOOKE_FAIL_WHERE, if those are given.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
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

static void tell_who(void* caller) {
  const char* path = getenv("HOOKE_FAIL_WHERE");
  Dl_info library;
  const int file = path ? (int)syscall(SYS_open, path, O_CREAT | O_WRONLY | O_TRUNC, 0666) : -1;
  if (file < 0 || !dladdr(caller, &library)) return;
  syscall(SYS_write, file, library.dli_fname, strlen(library.dli_fname));
  close(file);
}

static int fails(char of, void* caller) {
  const int this_one =
      atomic_load(&is_counting) && of == kind && atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fails_at);
  if (this_one) tell_who(caller);
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
  if ((flags & (O_WRONLY | O_RDWR)) && fails('w', __builtin_return_address(0))) return errno = EACCES, -1;
  return real(path, flags, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  note(path);
  return real(path, mode);
}
ssize_t write(int file, const void* bytes, size_t count) {
  REAL(write);
  if (file > 2 && fails('w', __builtin_return_address(0))) return errno = ENOSPC, -1;
  return real(file, bytes, count);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  REAL(pwrite64);
  if (fails('w', __builtin_return_address(0))) return errno = ENOSPC, -1;
  return real(file, bytes, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  REAL(pwrite);
  if (fails('w', __builtin_return_address(0))) return errno = ENOSPC, -1;
  return real(file, bytes, count, at);
}
int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  if (fails('w', __builtin_return_address(0))) return errno = ENOSPC, -1;
  return real(file, size);
}
int rename(const char* from, const char* to) {
  REAL(rename);
  if (fails('w', __builtin_return_address(0))) return errno = EACCES, -1;
  return real(from, to);
}

// dlsym itself may ask for memory: the C library's own names need no look-up.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
void* malloc(size_t size) { return fails('m', __builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails('m', __builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails('m', __builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size); }
