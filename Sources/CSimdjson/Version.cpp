// The version of the linked library.
#include "CSimdjson.h"

#include <simdjson.h>
#include <string>

const char *csj_version(void) { return SIMDJSON_STRINGIFY(SIMDJSON_VERSION); }

const char *csj_implementation(void) {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name.c_str();
}
