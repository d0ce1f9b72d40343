#include <libwebsockets.h>

/* A timer of the service loop, and its owner. */
typedef struct {
    lws_sorted_usec_list_t list;
    void *owner;
} websockets_timer;

/* Values that Swift cannot import because they are composed of macros. */
static const int websockets_headroom = LWS_PRE;
static const uint64_t websockets_bind_or_fail = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
static const uint64_t websockets_without_ipv6 = LWS_SERVER_OPTION_DISABLE_IPV6;
static const uint64_t websockets_ipv6_only =
    LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY | LWS_SERVER_OPTION_IPV6_V6ONLY_VALUE;
