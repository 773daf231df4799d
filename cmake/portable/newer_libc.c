// What the libraries of GCC 12 and newer, and the headers of a new glibc, take from a glibc newer
// than 2.31.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

char __libc_single_threaded = 0;  // false: always count references atomically

uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort();
  return number;
}

// With the headers of glibc 2.38 and newer, strtol is __isoc23_strtol, which also reads "0b101". No
// function here may call itself so: the old ones have names of their own.
#define REPLACE(type, name, parameters, arguments) \
  type old_##name parameters __asm__(#name);       \
  type __isoc23_##name parameters;                 \
  type __isoc23_##name parameters { return old_##name arguments; }

REPLACE(long, strtol, (const char* text, char** end, int base), (text, end, base))
REPLACE(long long, strtoll, (const char* text, char** end, int base), (text, end, base))
REPLACE(unsigned long, strtoul, (const char* text, char** end, int base), (text, end, base))
REPLACE(unsigned long long, strtoull, (const char* text, char** end, int base), (text, end, base))
REPLACE(long, wcstol, (const wchar_t* text, wchar_t** end, int base), (text, end, base))
REPLACE(long long, wcstoll, (const wchar_t* text, wchar_t** end, int base), (text, end, base))
REPLACE(unsigned long, wcstoul, (const wchar_t* text, wchar_t** end, int base), (text, end, base))
REPLACE(unsigned long long, wcstoull, (const wchar_t* text, wchar_t** end, int base),
        (text, end, base))
int __isoc99_vsscanf(const char* text, const char* format, va_list values);
int __isoc23_vsscanf(const char* text, const char* format, va_list values);
int __isoc23_vsscanf(const char* text, const char* format, va_list values) {
  return __isoc99_vsscanf(text, format, values);
}

int __isoc23_sscanf(const char* text, const char* format, ...);
int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = __isoc99_vsscanf(text, format, values);
  va_end(values);
  return count;
}

struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int look_in(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  void* eh_frame = NULL;
  int is_in = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) eh_frame = (void*)begin;
    if (part->p_type != PT_LOAD || search->address < begin ||
        search->address >= begin + part->p_memsz)
      continue;
    is_in = 1;
    search->result->dlfo_map_start = (void*)begin;
    search->result->dlfo_map_end = (void*)(begin + part->p_memsz);
  }
  if (!is_in || !eh_frame) return 0;
  search->result->dlfo_eh_frame = eh_frame;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  result->dlfo_flags = 0;
  result->dlfo_link_map = NULL;
  return dl_iterate_phdr(look_in, &search) ? 0 : -1;
}
