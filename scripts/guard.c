/* malloc for measure_mlx.py. While armed, what follows a block may not be touched, so that a program that reads or writes there dies. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

#define PAGE 4096UL
#define LOW 0x200000000000UL
#define HIGH 0x210000000000UL
static volatile int armed;
static uintptr_t next = LOW;

void guard(int on) { armed = on; }

static int guarded(void *block) { return (uintptr_t)block >= LOW && (uintptr_t)block < HIGH; }

void *malloc(size_t size) {
  size_t body = (size + 15) & ~15UL;
  size_t whole = (body + 16 + PAGE - 1) & ~(PAGE - 1);
  if (!armed || size > (1UL << 24)) return __libc_malloc(size);
  uintptr_t at = __atomic_fetch_add(&next, whole + PAGE, __ATOMIC_RELAXED);
  char *base = mmap((void *)at, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED) return __libc_malloc(size);
  char *block = base + whole - body;
  memset(block, 165, body);
  *(size_t *)(block - 16) = size;
  return block;
}

void free(void *block) {
  if (block && !guarded(block)) __libc_free(block); /* a process lives for one experiment: what is guarded stays */
}

void *realloc(void *block, size_t size) {
  if (!block || !guarded(block)) return block ? __libc_realloc(block, size) : malloc(size);
  size_t old = *(size_t *)((char *)block - 16);
  void *moved = malloc(size);
  return moved ? memcpy(moved, block, old < size ? old : size) : moved;
}

