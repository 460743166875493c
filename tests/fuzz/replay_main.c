/* SPDX-License-Identifier: MIT
 * Runs a fuzz target on every file of a directory: what builds without libFuzzer do. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* of exact size, for the sanitizers */
    int rc = -1;
    if (data && size >= 0 && fread(data, 1, (size_t)size, f) == (size_t)size)
        rc = LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    fclose(f);
    return rc;
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: %s CORPUS-DIRECTORY\n", argv[0]);
        return 2;
    }
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
        if (e->d_name[0] == '.')
            continue;
        if (run(path) != 0) {
            fprintf(stderr, "%s: failed\n", path);
            return 1;
        }
        files++;
    }
    closedir(dir);
    printf("%u files\n", files);
    return files ? 0 : 1; /* an empty corpus tests nothing */
}
