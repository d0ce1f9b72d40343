// Runs a program and writes its peak memory, in bytes, to a file.
//
// usage: peak FILE PROGRAM ARGUMENTS…
//
// The system's figure is at least the memory that the process had before exec. If Python started the program, every program would
// seem to need at least as much memory as Python. With this launcher, the minimum is only about a megabyte.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) return 1;
    FILE *file = fopen(argv[1], "w");
    if (!file) return 1;
#ifdef __APPLE__
    fprintf(file, "%ld\n", usage.ru_maxrss);
#else
    fprintf(file, "%ld\n", usage.ru_maxrss * 1024);
#endif
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
