/* Drives an FMU by the standard alone, as any other program would: declarations are those of FMI 2.0 and 3.0, nothing is
 * Hooke's. What it is told stands on its command line, since it reads no XML:
 *
 *   fmu_driver VERSION LIBRARY RESOURCES TOKEN WORK START STEP COUNT [-i REF:VALUE]... [-p REF:VALUE]... REF...
 *
 * REF are outputs (scalars, or REF/WIDTH for arrays of 3.0); -i sets an input and -p a parameter before the start. WORK is
 *
 *   run            prints the outputs at every communication point
 *   state          saves after a third, goes on, restores, goes on again: must be equal in every bit
 *   save:FILE      the state after a third, as bytes in FILE, then prints the rest
 *   resume:FILE    prints the rest from there
 *   instances      COUNT instances at once, one step each
 *   threads        two instances, each on a thread of its own: must be equal
 *   derivative     of all outputs by each input (-i), against differences
 *   exchange       model exchange by Runge and Kutta's method, with events
 *   events         3.0: prints the outputs of a run with event mode, early return and intermediate updates
 *   ramp:N         every input (-i) grows by its value in a second; communication steps of N STEPs. With N > 1 the input follows
 *                  within them: 2.0 by its derivative, 3.0 by intermediate updates; with N = 1 it is set before every step
 *   time           s of processor time for COUNT steps, the best of ten
 *   order          calls that are not allowed: each must be refused
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most = 512 };

typedef void (*log2_t)(void*, const char*, int, const char*, const char*, ...);
typedef struct {
  log2_t logger;
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*finished)(void*, int);
  void* environment;
} callbacks2;
typedef struct {
  int needed, terminate, nominals, values, has_next;
  double next;
} event_info2;

static int version;
static void* library;
static const char *resources, *token;
static double start, step;
static int count;
static unsigned refs[most], inputs[most], parameters[most];
static int widths[most], ref_count, input_count, parameter_count, value_count;
static double input_values[most], parameter_values[most];
static int messages = 0;
static int quiet = 0;

static void fail(const char* what) {
  fprintf(stderr, "driver: %s\n", what);
  exit(1);
}

static void* find(const char* name) {
  void* found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "driver: the library has no %s\n", name);
    exit(1);
  }
  return found;
}
/* Looked up once at each place; the version does not change while it runs. */
#define CALL(type, name)         \
  ({                             \
    static void* found_;         \
    if (!found_) found_ = find(name); \
    (type)found_;                \
  })

static void logger2(void* e, const char* instance, int status, const char* category, const char* message, ...) {
  (void)e, (void)instance;
  ++messages;
  if (quiet) return;
  va_list list;
  va_start(list, message);
  fprintf(stderr, "[%d %s] ", status, category);
  vfprintf(stderr, message, list);
  fprintf(stderr, "\n");
  va_end(list);
}

static void logger3(void* e, int status, const char* category, const char* message) {
  (void)e;
  ++messages;
  if (!quiet) fprintf(stderr, "[%d %s] %s\n", status, category, message);
}

static callbacks2 callbacks = {logger2, calloc, free, NULL, NULL};

static void* instantiate(bool exchange) {
  void* c;
  if (version == 2) {
    char location[5000];
    snprintf(location, sizeof location, "file://%s", resources);
    c = CALL(void* (*)(const char*, int, const char*, const char*, const callbacks2*, int, int), "fmi2Instantiate")(
        "one", exchange ? 0 : 1, token, location, &callbacks, 0, 0);
  } else if (exchange) {
    c = CALL(void* (*)(const char*, const char*, const char*, bool, bool, void*, void (*)(void*, int, const char*, const char*)),
             "fmi3InstantiateModelExchange")("one", token, resources, false, false, NULL, logger3);
  } else {
    c = CALL(void* (*)(const char*, const char*, const char*, bool, bool, bool, bool, const uint32_t*, size_t, void*,
                       void (*)(void*, int, const char*, const char*), void*),
             "fmi3InstantiateCoSimulation")("one", token, resources, false, false, false, false, NULL, 0, NULL, logger3,
                                            NULL);
  }
  if (!c) fail("no instance");
  return c;
}

static void release(void* c) { CALL(void (*)(void*), version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance")(c); }

static void expect(int status, const char* what) {
  if (status != 0) fail(what);
}

static int set_one(void* c, unsigned ref, double value) {
  if (version == 2) return CALL(int (*)(void*, const unsigned*, size_t, const double*), "fmi2SetReal")(c, &ref, 1, &value);
  return CALL(int (*)(void*, const uint32_t*, size_t, const double*, size_t), "fmi3SetFloat64")(c, &ref, 1, &value, 1);
}

static int get(void* c, double* values) {
  if (version == 2)
    return CALL(int (*)(void*, const unsigned*, size_t, double*), "fmi2GetReal")(c, refs, (size_t)ref_count, values);
  return CALL(int (*)(void*, const uint32_t*, size_t, double*, size_t), "fmi3GetFloat64")(c, refs, (size_t)ref_count, values,
                                                                                         (size_t)value_count);
}

static void initialise(void* c) {
  for (int i = 0; i < parameter_count; ++i) expect(set_one(c, parameters[i], parameter_values[i]), "set a parameter");
  if (version == 2) {
    expect(CALL(int (*)(void*, int, double, double, int, double), "fmi2SetupExperiment")(c, 0, 0, start, 0, 0), "set up");
    expect(CALL(int (*)(void*), "fmi2EnterInitializationMode")(c), "enter initialisation");
  } else {
    expect(CALL(int (*)(void*, bool, double, double, bool, double), "fmi3EnterInitializationMode")(c, false, 0, start, false, 0),
           "enter initialisation");
  }
  for (int i = 0; i < input_count; ++i) expect(set_one(c, inputs[i], input_values[i]), "set an input");
  expect(CALL(int (*)(void*), version == 2 ? "fmi2ExitInitializationMode" : "fmi3ExitInitializationMode")(c),
         "exit initialisation");
}

static bool advance(void* c, int k) {
  const double t = start + k * step;
  if (version == 2) {
    const int status = CALL(int (*)(void*, double, double, int), "fmi2DoStep")(c, t, step, 0);
    if (status == 2) {
      int ended = 0;
      CALL(int (*)(void*, int, int*), "fmi2GetBooleanStatus")(c, 3, &ended);
      if (ended) return false;
    }
    expect(status, "a step");
    return true;
  }
  bool event, terminate, early;
  double last;
  expect(CALL(int (*)(void*, double, double, bool, bool*, bool*, bool*, double*), "fmi3DoStep")(c, t, step, false, &event,
                                                                                             &terminate, &early, &last),
         "a step");
  return !terminate;
}

static void print_values(void* c, double t) {
  double values[most];
  expect(get(c, values), "get outputs");
  printf("%a", t);
  for (int i = 0; i < value_count; ++i) printf(" %a", values[i]);
  printf("\n");
}

static void run(void* c, int from, int to) {
  for (int k = from; k < to; ++k) {
    if (!advance(c, k)) return;
    print_values(c, start + (k + 1) * step);
  }
}

static void* get_state(void* c) {
  void* state = NULL;
  expect(CALL(int (*)(void*, void**), version == 2 ? "fmi2GetFMUstate" : "fmi3GetFMUState")(c, &state), "get the state");
  return state;
}
static void set_state(void* c, void* state) {
  expect(CALL(int (*)(void*, void*), version == 2 ? "fmi2SetFMUstate" : "fmi3SetFMUState")(c, state), "set the state");
}
static void free_state(void* c, void* state) {
  expect(CALL(int (*)(void*, void**), version == 2 ? "fmi2FreeFMUstate" : "fmi3FreeFMUState")(c, &state), "free the state");
}

static void collect(void* c, int from, int to, double* out) {
  for (int k = from; k < to; ++k) {
    if (!advance(c, k)) fail("the run ended by itself");
    expect(get(c, out + (size_t)(k - from) * (size_t)value_count), "get outputs");
  }
}

static void work_state(void* c) {
  const int third = count / 3;
  const size_t size = (size_t)(count - third) * (size_t)value_count;
  double *first = calloc(size, sizeof(double)), *second = calloc(size, sizeof(double));
  for (int k = 0; k < third; ++k) advance(c, k);
  void* state = get_state(c);
  collect(c, third, count, first);
  set_state(c, state);
  collect(c, third, count, second);
  if (memcmp(first, second, size * sizeof(double)) != 0) fail("the second time differs");
  free_state(c, state);
  free(first), free(second);
  printf("equal\n");
}

static void work_save(void* c, const char* file) {
  const int third = count / 3;
  for (int k = 0; k < third; ++k) advance(c, k);
  void* state = get_state(c);
  size_t size = 0;
  expect(CALL(int (*)(void*, void*, size_t*), version == 2 ? "fmi2SerializedFMUstateSize" : "fmi3SerializedFMUStateSize")(
             c, state, &size),
         "size of the state");
  char* bytes = malloc(size);
  expect(CALL(int (*)(void*, void*, char*, size_t), version == 2 ? "fmi2SerializeFMUstate" : "fmi3SerializeFMUState")(
             c, state, bytes, size),
         "serialise");
  FILE* out = fopen(file, "wb");
  if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) fail("cannot write the state");
  free(bytes);
  free_state(c, state);
  run(c, third, count);
}

static void work_resume(void* c, const char* file) {
  FILE* in = fopen(file, "rb");
  if (!in) fail("cannot read the state");
  fseek(in, 0, SEEK_END);
  const size_t size = (size_t)ftell(in);
  rewind(in);
  char* bytes = malloc(size);
  if (fread(bytes, 1, size, in) != size) fail("cannot read the state");
  fclose(in);
  void* state = NULL;
  expect(CALL(int (*)(void*, const char*, size_t, void**), version == 2 ? "fmi2DeSerializeFMUstate" : "fmi3DeserializeFMUState")(
             c, bytes, size, &state),
         "deserialise");
  set_state(c, state);
  free_state(c, state);
  free(bytes);
  run(c, count / 3, count);
}

static void work_instances(void) {
  void** all = calloc((size_t)count, sizeof(void*));
  for (int i = 0; i < count; ++i) initialise(all[i] = instantiate(false));
  double first[most], values[most];
  for (int i = 0; i < count; ++i) {
    advance(all[i], 0);
    expect(get(all[i], i == 0 ? first : values), "get outputs");
    if (i > 0 && memcmp(first, values, (size_t)value_count * sizeof(double)) != 0) fail("instances differ");
  }
  for (int i = 0; i < count; ++i) release(all[i]);
  free(all);
  printf("equal\n");
}

static void* on_thread(void* out) {
  void* c = instantiate(false);
  initialise(c);
  collect(c, 0, count, out);
  release(c);
  return NULL;
}

static void work_threads(void) {
  const size_t size = (size_t)count * (size_t)value_count;
  double* results[2] = {calloc(size, sizeof(double)), calloc(size, sizeof(double))};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, on_thread, results[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (memcmp(results[0], results[1], size * sizeof(double)) != 0) fail("threads differ");
  free(results[0]), free(results[1]);
  printf("equal\n");
}

static void derivative(void* c, unsigned known, double* out) {
  const double one = 1;
  if (version == 2)
    expect(CALL(int (*)(void*, const unsigned*, size_t, const unsigned*, size_t, const double*, double*),
                "fmi2GetDirectionalDerivative")(c, refs, (size_t)ref_count, &known, 1, &one, out),
           "a derivative");
  else
    expect(CALL(int (*)(void*, const uint32_t*, size_t, const uint32_t*, size_t, const double*, size_t, double*, size_t),
                "fmi3GetDirectionalDerivative")(c, refs, (size_t)ref_count, &known, 1, &one, 1, out, (size_t)value_count),
           "a derivative");
}

/* Prints value reference of the input, largest derivative, largest difference to differences of the outputs. */
static void work_derivative(void* c) {
  for (int k = 0; k < count; ++k) advance(c, k);
  for (int i = 0; i < input_count; ++i) {
    double exact[most], above[most], below[most], largest = 0, off = 0;
    const double h = 1e-4 * fmax(1, fabs(input_values[i]));
    derivative(c, inputs[i], exact);
    set_one(c, inputs[i], input_values[i] + h);
    expect(get(c, above), "get outputs");
    set_one(c, inputs[i], input_values[i] - h);
    expect(get(c, below), "get outputs");
    set_one(c, inputs[i], input_values[i]);
    for (int k = 0; k < value_count; ++k) {
      largest = fmax(largest, fabs(exact[k]));
      off = fmax(off, fabs(exact[k] - (above[k] - below[k]) / (2 * h)));
    }
    printf("%u %.6e %.6e\n", inputs[i], largest, off);
  }
}

static int updates = 0;

static void intermediate(void* e, double t, bool set, bool get_allowed, bool finished, bool can_return, bool* wanted,
                         double* when) {
  (void)e, (void)t, (void)set, (void)finished, (void)can_return, (void)when;
  if (get_allowed) ++updates;
  *wanted = updates % 50 == 0; /* sometimes */
}

typedef void (*intermediate_t)(void*, double, bool, bool, bool, bool, bool*, double*);

static void* instantiate_updated(bool events, intermediate_t callback) {
  void* c = CALL(void* (*)(const char*, const char*, const char*, bool, bool, bool, bool, const uint32_t*, size_t, void*,
                           void (*)(void*, int, const char*, const char*), intermediate_t),
                 "fmi3InstantiateCoSimulation")("one", token, resources, false, false, events, events, NULL, 0, NULL, logger3,
                                                callback);
  if (!c) fail("no instance");
  return c;
}

static void* ramped;

static void set_ramp(double t) {
  for (int i = 0; i < input_count; ++i) expect(set_one(ramped, inputs[i], input_values[i] * (t - start)), "set an input");
}

static void ramp_inside(void* e, double t, bool set, bool get_allowed, bool finished, bool can_return, bool* wanted,
                        double* when) {
  (void)e, (void)get_allowed, (void)finished, (void)can_return, (void)when;
  if (set) ++updates, set_ramp(t);
  *wanted = false;
}

static void work_ramp(int steps) {
  ramped = version == 3 && steps > 1 ? instantiate_updated(false, ramp_inside) : instantiate(false);
  initialise(ramped);
  const double small = step;
  step *= steps;
  for (int k = 0; k < count / steps; ++k) {
    const double t = start + k * step;
    if (version == 2) {
      set_ramp(steps > 1 ? t : t + 0.5 * small);
      const int first = 1;
      for (int i = 0; i < input_count && steps > 1; ++i)
        expect(CALL(int (*)(void*, const unsigned*, size_t, const int*, const double*), "fmi2SetRealInputDerivatives")(
                   ramped, &inputs[i], 1, &first, &input_values[i]),
               "set a derivative");
    } else {
      set_ramp(t);
    }
    advance(ramped, k);
    set_ramp(t + step);
    print_values(ramped, t + step);
  }
  fprintf(stderr, "updates: %d\n", updates);
  release(ramped);
}

static void work_events(void) {
  void* c = instantiate_updated(true, intermediate);
  initialise(c);
  int events = 0, early_returns = 0;
  bool is_event = true;
  print_values(c, start);
  double t = start;
  for (int k = 0; k < count; ++k) {
    const double goal = start + (k + 1) * step;
    while (t < goal - 1e-12) {
      if (is_event) {
        bool needed, terminate, nominals, values, has_next;
        double next;
        do expect(CALL(int (*)(void*, bool*, bool*, bool*, bool*, bool*, double*), "fmi3UpdateDiscreteStates")(
                      c, &needed, &terminate, &nominals, &values, &has_next, &next),
                  "update discrete states");
        while (needed);
        if (terminate) return;
        expect(CALL(int (*)(void*), "fmi3EnterStepMode")(c), "step mode");
      }
      bool terminate, early;
      expect(CALL(int (*)(void*, double, double, bool, bool*, bool*, bool*, double*), "fmi3DoStep")(
                 c, t, goal - t, false, &is_event, &terminate, &early, &t),
             "a step");
      if (terminate) return;
      early_returns += early;
      if (is_event) {
        ++events;
        expect(CALL(int (*)(void*), "fmi3EnterEventMode")(c), "event mode");
      }
    }
    print_values(c, goal);
  }
  release(c);
  fprintf(stderr, "events: %d, early returns: %d, updates: %d\n", events, early_returns, updates);
}

static void work_time(void* c) {
  double best = INFINITY;
  void* state = get_state(c);
  for (int pass = 0; pass < 10; ++pass) {
    set_state(c, state);
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    double values[most];
    for (int k = 0; k < count; ++k) {
      advance(c, k);
      expect(get(c, values), "get outputs");
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    best = fmin(best, (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
  }
  free_state(c, state);
  printf("%.6e\n", best);
}

/* --- model exchange */

static bool update(void* c, double* next) {
  if (version == 2) {
    event_info2 info;
    do expect(CALL(int (*)(void*, event_info2*), "fmi2NewDiscreteStates")(c, &info), "new discrete states");
    while (info.needed && !info.terminate);
    *next = info.has_next ? info.next : INFINITY;
    expect(CALL(int (*)(void*), "fmi2EnterContinuousTimeMode")(c), "continuous time");
    return !info.terminate;
  }
  bool needed, terminate, nominals, values, has_next;
  do expect(CALL(int (*)(void*, bool*, bool*, bool*, bool*, bool*, double*), "fmi3UpdateDiscreteStates")(
                c, &needed, &terminate, &nominals, &values, &has_next, next),
            "update discrete states");
  while (needed && !terminate);
  if (!has_next) *next = INFINITY;
  expect(CALL(int (*)(void*), "fmi3EnterContinuousTimeMode")(c), "continuous time");
  return !terminate;
}

static void vector(void* c, const char* two, const char* three, double* x, size_t n) {
  expect(((int (*)(void*, double*, size_t))find(version == 2 ? two : three))(c, x, n), two); /* many functions here */
}

static void rates(void* c, double t, const double* x, double* out, size_t n) {
  expect(CALL(int (*)(void*, double), version == 2 ? "fmi2SetTime" : "fmi3SetTime")(c, t), "set the time");
  expect(CALL(int (*)(void*, const double*, size_t), version == 2 ? "fmi2SetContinuousStates" : "fmi3SetContinuousStates")(c, x, n),
         "set states");
  vector(c, "fmi2GetDerivatives", "fmi3GetContinuousStateDerivatives", out, n);
}

static void runge_kutta(void* c, double t, double h, const double* x, double* out, size_t n) {
  double *k = malloc(5 * n * sizeof(double)), *at = k + 4 * n;
  const double nodes[4] = {0, 0.5, 0.5, 1}, weights[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  for (int stage = 0; stage < 4; ++stage) {
    for (size_t i = 0; i < n; ++i) at[i] = x[i] + (stage ? nodes[stage] * h * k[(size_t)(stage - 1) * n + i] : 0);
    rates(c, t + nodes[stage] * h, at, k + (size_t)stage * n, n);
  }
  for (size_t i = 0; i < n; ++i) {
    out[i] = x[i];
    for (size_t stage = 0; stage < 4; ++stage) out[i] += h * weights[stage] * k[stage * n + i];
  }
  free(k);
}

static void indicators(void* c, double t, const double* x, size_t n, double* values, size_t m) {
  double* ignored = malloc(n * sizeof(double));
  rates(c, t, x, ignored, n);
  free(ignored);
  if (m) vector(c, "fmi2GetEventIndicators", "fmi3GetEventIndicators", values, m);
}

static bool crossed(const double* before, const double* after, size_t m) {
  for (size_t i = 0; i < m; ++i)
    if ((before[i] > 0) != (after[i] > 0)) return true;
  return false;
}

/* COUNT steps; n and m are the numbers of states and indicators. Where an indicator changes its sign within a step, half
 * steps find the place. */
static void work_exchange(void* c, size_t n, size_t m) {
  double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double)), *before = malloc((m + 1) * sizeof(double)),
         *after = malloc((m + 1) * sizeof(double)), next = INFINITY;
  if (!update(c, &next)) fail("ended at once");
  vector(c, "fmi2GetContinuousStates", "fmi3GetContinuousStates", x, n);
  double t = start;
  int events = 0;
  for (int k = 0; k < count; ++k) {
    const double goal = start + (k + 1) * step;
    while (t < goal - 1e-12) {
      const double until = fmin(goal, next);
      double h = until - t;
      bool is_event = false;
      if (h > 0) {
        indicators(c, t, x, n, before, m);
        runge_kutta(c, t, h, x, y, n);
        indicators(c, t + h, y, n, after, m);
        if (crossed(before, after, m)) {
          double low = 0, high = h;
          for (int pass = 0; pass < 50; ++pass) {
            const double half = 0.5 * (low + high);
            runge_kutta(c, t, half, x, y, n);
            indicators(c, t + half, y, n, after, m);
            if (crossed(before, after, m)) high = half; else low = half;
          }
          h = high;
          runge_kutta(c, t, h, x, y, n);
          is_event = true;
        }
        t += h;
        memcpy(x, y, n * sizeof(double));
        indicators(c, t, x, n, after, m);
      }
      bool wants = false, ends = false;
      if (version == 2) {
        int wanted = 0, ended = 0;
        expect(CALL(int (*)(void*, int, int*, int*), "fmi2CompletedIntegratorStep")(c, 1, &wanted, &ended), "completed");
        wants = wanted != 0, ends = ended != 0;
      } else {
        expect(CALL(int (*)(void*, bool, bool*, bool*), "fmi3CompletedIntegratorStep")(c, true, &wants, &ends), "completed");
      }
      if (ends) return;
      if (wants || is_event || t >= next - 1e-12) {
        ++events;
        expect(CALL(int (*)(void*), version == 2 ? "fmi2EnterEventMode" : "fmi3EnterEventMode")(c), "event mode");
        if (!update(c, &next)) return;
        vector(c, "fmi2GetContinuousStates", "fmi3GetContinuousStates", x, n);
      }
    }
    print_values(c, t);
  }
  fprintf(stderr, "events: %d\n", events);
  free(x), free(y), free(before), free(after);
}

static void refused(int status, const char* what) {
  if (status == 3 && messages > 0) {
    messages = 0;
    return;
  }
  fprintf(stderr, "driver: %s was not refused with a message\n", what);
  exit(1);
}

static void work_order(void) {
  quiet = 1;
  void* c = instantiate(false);
  double value = 0;
  unsigned none = 4000000;
  if (version == 2) {
    refused(CALL(int (*)(void*, double, double, int), "fmi2DoStep")(c, 0, 1, 0), "a step before the start");
    refused(CALL(int (*)(void*), "fmi2ExitInitializationMode")(c), "exit before enter");
    initialise(c);
    refused(CALL(int (*)(void*, const unsigned*, size_t, double*), "fmi2GetReal")(c, &none, 1, &value), "an unknown value");
    refused(CALL(int (*)(void*, const unsigned*, size_t, int*), "fmi2GetInteger")(c, &none, 1, (int*)&value), "an integer");
    refused(CALL(int (*)(void*, double, double, int), "fmi2DoStep")(c, 77, 1, 0), "a step from elsewhere");
    refused(CALL(int (*)(void*), "fmi2EnterInitializationMode")(c), "a second start");
    refused(CALL(int (*)(void*, void*), "fmi2SetFMUstate")(c, NULL), "no state");
    expect(CALL(int (*)(void*), "fmi2Terminate")(c), "terminate");
    refused(CALL(int (*)(void*, double, double, int), "fmi2DoStep")(c, 0, 1, 0), "a step after the end");
    expect(CALL(int (*)(void*), "fmi2Reset")(c), "reset");
  } else {
    bool b;
    refused(CALL(int (*)(void*, double, double, bool, bool*, bool*, bool*, double*), "fmi3DoStep")(c, 0, 1, false, &b, &b, &b,
                                                                                                &value),
            "a step before the start");
    initialise(c);
    refused(CALL(int (*)(void*, const uint32_t*, size_t, double*, size_t), "fmi3GetFloat64")(c, &none, 1, &value, 1),
            "an unknown value");
    refused(CALL(int (*)(void*, const uint32_t*, size_t, double*, size_t), "fmi3GetFloat64")(c, refs, 1, &value, 7),
            "too many values");
    expect(CALL(int (*)(void*), "fmi3Terminate")(c), "terminate");
    expect(CALL(int (*)(void*), "fmi3Reset")(c), "reset");
  }
  messages = 0;
  initialise(c);
  advance(c, 0);
  release(c);
  printf("equal\n");
}

int main(int argc, char** argv) {
  if (argc < 9) fail("too few arguments");
  version = atoi(argv[1]);
  library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(dlerror());
  resources = argv[3], token = argv[4];
  const char* work = argv[5];
  start = atof(argv[6]), step = atof(argv[7]), count = atoi(argv[8]);
  for (int i = 9; i < argc; ++i) {
    const char* option = argv[i];
    if (strcmp(option, "-i") == 0 || strcmp(option, "-p") == 0) {
      char* rest;
      const unsigned ref = (unsigned)strtoul(argv[++i], &rest, 10);
      const double value = atof(rest + 1);
      if (option[1] == 'i')
        inputs[input_count] = ref, input_values[input_count++] = value;
      else
        parameters[parameter_count] = ref, parameter_values[parameter_count++] = value;
    } else {
      char* rest;
      refs[ref_count] = (unsigned)strtoul(option, &rest, 10);
      widths[ref_count] = *rest == '/' ? atoi(rest + 1) : 1;
      value_count += widths[ref_count++];
    }
    if (value_count >= most) fail("too many outputs");
  }
  if (strcmp(CALL(const char* (*)(void), version == 2 ? "fmi2GetVersion" : "fmi3GetVersion")(), version == 2 ? "2.0" : "3.0") != 0)
    fail("wrong version");
  if (strcmp(work, "instances") == 0) return work_instances(), 0;
  if (strcmp(work, "threads") == 0) return work_threads(), 0;
  if (strcmp(work, "order") == 0) return work_order(), 0;
  if (strcmp(work, "events") == 0) return work_events(), 0;
  if (strncmp(work, "ramp:", 5) == 0) return work_ramp(atoi(work + 5)), 0;
  const bool exchange = strncmp(work, "exchange:", 9) == 0;
  void* c = instantiate(exchange);
  if (strncmp(work, "resume:", 7) != 0) initialise(c);
  if (strcmp(work, "run") == 0) print_values(c, start), run(c, 0, count);
  else if (strcmp(work, "state") == 0) work_state(c);
  else if (strncmp(work, "save:", 5) == 0) work_save(c, work + 5);
  else if (strncmp(work, "resume:", 7) == 0) work_resume(c, work + 7);
  else if (strcmp(work, "derivative") == 0) work_derivative(c);
  else if (strcmp(work, "time") == 0) work_time(c);
  else if (exchange) {
    char* rest;
    const size_t n = strtoul(work + 9, &rest, 10);
    print_values(c, start), work_exchange(c, n, strtoul(rest + 1, NULL, 10));
  } else fail("unknown work");
  release(c);
  return 0;
}
