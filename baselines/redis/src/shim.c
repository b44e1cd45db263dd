/* Connections to a server through hiredis, as src/connection.rs uses them. Replies live and die
 * here: their values are copied out, so that no pointer of hiredis crosses the boundary. */

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <hiredis/hiredis.h>

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

/* The kind of a reply; matches the kinds in src/connection.rs. */
enum nibble_kind {
  NIBBLE_BROKEN = 0, /* no reply: the connection is broken */
  NIBBLE_NIL = 1,
  NIBBLE_INTEGER = 2,
  NIBBLE_BYTES = 3,
  NIBBLE_STATUS = 4,
  NIBBLE_ERROR = 5,
  NIBBLE_OTHER = 6,
};

struct nibble_reply {
  int kind;
  long long integer;
  size_t length; /* of bytes, a status or an error; not limited by how much was copied */
};

static void copy_text(const char *text, char *place, size_t place_bytes) {
  if (place_bytes == 0) return;
  size_t length = strlen(text);
  if (length >= place_bytes) length = place_bytes - 1;
  memcpy(place, text, length);
  place[length] = '\0';
}

static struct timeval in_ms(long timeout_ms) {
  struct timeval time = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  return time;
}

/* Between two attempts to connect. */
#define PAUSE_MS 2

/* Whether a connection just failed because the server's queue has no room. */
static int queue_is_full(const redisContext *context) {
  return context != NULL && context->err == REDIS_ERR_IO && errno == EAGAIN;
}

/* Returns the connection, or NULL with the reason in `error`. Later calls wait no longer than
 * `timeout_ms` either. */
void *nibble_hiredis_connect(const char *path, long timeout_ms, char *error, size_t error_bytes) {
  const struct timespec pause = {0, PAUSE_MS * 1000000L};
  redisContext *context = redisConnectUnixWithTimeout(path, in_ms(timeout_ms));
  /* The server's queue of connections is full: it has not had time to accept them. */
  for (long left_ms = timeout_ms; queue_is_full(context) && left_ms > 0; left_ms -= PAUSE_MS) {
    redisFree(context);
    nanosleep(&pause, NULL);
    context = redisConnectUnixWithTimeout(path, in_ms(left_ms));
  }
  if (context == NULL) {
    copy_text("no memory for a connection", error, error_bytes);
    return NULL;
  }
  if (context->err == 0 && redisSetTimeout(context, in_ms(timeout_ms)) == REDIS_OK) return context;
  copy_text(context->errstr, error, error_bytes);
  redisFree(context);
  return NULL;
}

void nibble_hiredis_close(void *connection) { redisFree(connection); }

/* Queues a command. Returns 0 if that failed. */
int nibble_hiredis_append(void *connection, int parts, const char **starts, const size_t *lengths) {
  return redisAppendCommandArgv(connection, parts, starts, lengths) == REDIS_OK;
}

/* Sends all queued commands. Returns 0 if that failed. */
int nibble_hiredis_flush(void *connection) {
  int done = 0;
  while (!done) {
    if (redisBufferWrite(connection, &done) != REDIS_OK) return 0;
  }
  return 1;
}

/* Sends what is still queued, waits for the next reply, and copies as many of its bytes as fit to
 * `buffer`. */
struct nibble_reply nibble_hiredis_reply(void *connection, char *buffer, size_t buffer_bytes) {
  struct nibble_reply result = {NIBBLE_BROKEN, 0, 0};
  void *taken = NULL;
  if (redisGetReply(connection, &taken) != REDIS_OK || taken == NULL) return result;
  const redisReply *reply = taken;
  switch (reply->type) {
    case REDIS_REPLY_NIL: result.kind = NIBBLE_NIL; break;
    case REDIS_REPLY_INTEGER: result.kind = NIBBLE_INTEGER; break;
    case REDIS_REPLY_STRING: result.kind = NIBBLE_BYTES; break;
    case REDIS_REPLY_STATUS: result.kind = NIBBLE_STATUS; break;
    case REDIS_REPLY_ERROR: result.kind = NIBBLE_ERROR; break;
    default: result.kind = NIBBLE_OTHER; break;
  }
  if (result.kind == NIBBLE_INTEGER) result.integer = reply->integer;
  if (result.kind >= NIBBLE_BYTES && result.kind <= NIBBLE_ERROR) {
    result.length = (size_t)reply->len;
    size_t copied = result.length < buffer_bytes ? result.length : buffer_bytes;
    if (copied > 0) memcpy(buffer, reply->str, copied);
  }
  freeReplyObject(taken);
  return result;
}

/* Why the connection is broken. */
void nibble_hiredis_error(void *connection, char *error, size_t error_bytes) {
  const redisContext *context = connection;
  copy_text(context->errstr, error, error_bytes);
}

/* The version whose headers this was compiled with. */
const char *nibble_hiredis_version(void) {
  return TEXT(HIREDIS_MAJOR) "." TEXT(HIREDIS_MINOR) "." TEXT(HIREDIS_PATCH);
}
