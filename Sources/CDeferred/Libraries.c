#ifdef __linux__
#include <dlfcn.h>
#include <errno.h>
#include <lws_config.h>
#include <stdio.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// A library: its name, and the version of its interface for which the program is compiled.
struct library {
    const char *name;
    int version;
};

// What Functions.S has for each function.
struct entry {
    void *address;
    const char *name;
    const struct library *library;
};

HIDDEN const struct library deferred_cairo = {"cairo", 2};
HIDDEN const struct library deferred_rdkafka = {"rdkafka", 1};
// Release 4.0 has version 16, and each release 4.N since then the next.
HIDDEN const struct library deferred_websockets = {"websockets", 16 + LWS_LIBRARY_VERSION_MINOR};
HIDDEN const struct library deferred_zmq = {"zmq", 5};

// Stores the address of a function in its entry, and returns it. Loads the library of the function, unless it is loaded.
//
// If the library cannot be loaded, the process ends with the exit code of `pipectl` for a wrong environment: the function cannot
// report it, and if the program were linked to the library, it would not even start.
HIDDEN void *deferred_address(struct entry *entry) {
    // `zmq_errno` returns the error of an earlier call.
    int error = errno;
    const struct library *library = entry->library;
    char file[32];
    snprintf(file, sizeof file, "lib%s.so.%d", library->name, library->version);
    void *handle = dlopen(file, RTLD_NOW);
    void *address = handle ? dlsym(handle, entry->name) : NULL;
    if (!address) {
        // Debian gives the packages the names of the libraries.
        fprintf(stderr, "error: %s\n  = help: apt install lib%s%d\n", dlerror(), library->name, library->version);
        _exit(3);
    }
    // Several threads may store the same address.
    __atomic_store_n(&entry->address, address, __ATOMIC_RELEASE);
    errno = error;
    return address;
}
#endif
