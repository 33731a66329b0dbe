/* A library to load before others (LD_PRELOAD): counts the durable steps and the writes of a program below one folder,
 * and lets one of them end the program or fail.
 *
 *   STEP_FOLDER  the folder, absolute and without links in it
 *   STEP_DO      kill   ends the program at step STEP_AT, before the step is done
 *                eio    lets step STEP_AT fail once, as a broken disk does
 *                full   lets write STEP_AT and all later ones fail, as a full disk does
 *   STEP_AT      number of the step or write, counted from one
 *   STEP_MARK    file that is made when it happens
 *
 * A step is whatever changes what is left after a crash: a sync, a rename, a link, an unlink, a cut, a new folder.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum deed { NOTHING, KILL, FAIL_STEP, FAIL_WRITES };

static const char *folder, *mark;
static size_t folder_length;
static enum deed deed;
static long at;
static atomic_long steps, writes;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void prepare(void) {
    const char *what = getenv("STEP_DO"), *number = getenv("STEP_AT");
    folder = getenv("STEP_FOLDER");
    mark = getenv("STEP_MARK");
    if (!folder || !what || !number || !mark)
        return;
    folder_length = strlen(folder);
    at = atol(number);
    deed = !strcmp(what, "kill") ? KILL : !strcmp(what, "eio") ? FAIL_STEP : FAIL_WRITES;
}

static int is_below(const char *path) {
    return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

/* The path of an open file, or of a folder that a path is relative to. */
static int is_open_below(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_below(path);
}

static int is_named_below(int from, const char *path) {
    return path[0] == '/' ? is_below(path) : from != AT_FDCWD && is_open_below(from);
}

static void leave_mark(void) {
    int file = NEXT(open)(mark, O_CREAT | O_WRONLY, 0600);
    if (file >= 0)
        close(file);
}

/* Counts a step. Answers 1 where it is to fail. */
static int fails_as_step(void) {
    if (deed != KILL && deed != FAIL_STEP)
        return 0;
    if (atomic_fetch_add(&steps, 1) + 1 != at)
        return 0;
    leave_mark();
    if (deed == KILL) {
        kill(getpid(), SIGKILL);
        pause();
    }
    errno = EIO;
    return 1;
}

static int fails_as_write(void) {
    if (deed != FAIL_WRITES)
        return 0;
    long number = atomic_fetch_add(&writes, 1) + 1;
    if (number < at)
        return 0;
    if (number == at)
        leave_mark();
    errno = ENOSPC;
    return 1;
}

#define STEP(below, call) return deed && (below) && fails_as_step() ? -1 : call
#define WRITE(file, call) return deed && is_open_below(file) && fails_as_write() ? -1 : call

int fsync(int file) { STEP(is_open_below(file), NEXT(fsync)(file)); }
int fdatasync(int file) { STEP(is_open_below(file), NEXT(fdatasync)(file)); }
int ftruncate(int file, off_t size) { STEP(is_open_below(file), NEXT(ftruncate)(file, size)); }
int ftruncate64(int file, off64_t size) { STEP(is_open_below(file), NEXT(ftruncate64)(file, size)); }
int rename(const char *from, const char *to) { STEP(is_named_below(AT_FDCWD, to), NEXT(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) {
    STEP(is_named_below(b, to), NEXT(renameat)(a, from, b, to));
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    STEP(is_named_below(b, to), NEXT(renameat2)(a, from, b, to, flags));
}
int link(const char *from, const char *to) { STEP(is_named_below(AT_FDCWD, to), NEXT(link)(from, to)); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    STEP(is_named_below(b, to), NEXT(linkat)(a, from, b, to, flags));
}
int unlink(const char *path) { STEP(is_named_below(AT_FDCWD, path), NEXT(unlink)(path)); }
int unlinkat(int from, const char *path, int flags) {
    STEP(is_named_below(from, path), NEXT(unlinkat)(from, path, flags));
}
int rmdir(const char *path) { STEP(is_named_below(AT_FDCWD, path), NEXT(rmdir)(path)); }
int mkdir(const char *path, mode_t mode) { STEP(is_named_below(AT_FDCWD, path), NEXT(mkdir)(path, mode)); }
int mkdirat(int from, const char *path, mode_t mode) {
    STEP(is_named_below(from, path), NEXT(mkdirat)(from, path, mode));
}

ssize_t write(int file, const void *bytes, size_t size) { WRITE(file, NEXT(write)(file, bytes, size)); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t place) {
    WRITE(file, NEXT(pwrite)(file, bytes, size, place));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place) {
    WRITE(file, NEXT(pwrite64)(file, bytes, size, place));
}
ssize_t writev(int file, const struct iovec *parts, int count) { WRITE(file, NEXT(writev)(file, parts, count)); }
int posix_fallocate(int file, off_t from, off_t size) {
    return deed && is_open_below(file) && fails_as_write() ? ENOSPC : NEXT(posix_fallocate)(file, from, size);
}
int posix_fallocate64(int file, off64_t from, off64_t size) {
    return deed && is_open_below(file) && fails_as_write() ? ENOSPC : NEXT(posix_fallocate64)(file, from, size);
}
ssize_t copy_file_range(int from, off64_t *a, int to, off64_t *b, size_t size, unsigned flags) {
    WRITE(to, NEXT(copy_file_range)(from, a, to, b, size, flags));
}
