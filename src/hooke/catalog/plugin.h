#ifndef HOOKE_PLUGIN_H
#define HOOKE_PLUGIN_H

/* Control blocks in a library of your own, written in C or anything that can speak it. The model file names the library
 * and uses its blocks like any other (docs/control.md):
 *
 *     plugin: ./libmine.so
 *     control:
 *       u: {code: friction, inputs: [joint.A.rate, "2*t"]}
 *
 * The library exports hooke_plugin_version (by HOOKE_PLUGIN) and hooke_blocks. Functions must depend on their arguments
 * alone; derivatives are taken by differences. Compile it with  cc -shared -fPIC -o libmine.so mine.c  */

#ifdef __cplusplus
extern "C" {
#endif

#define HOOKE_PLUGIN_VERSION 1

typedef struct hooke_block {
  const char* name;
  int inputs, states;
  const double* start; /* of the states; null: zero */
  double (*output)(double t, const double* inputs, const double* states);
  /* Sets the rates of the states; null where there are none. */
  void (*rates)(double t, const double* inputs, const double* states, double* rates);
} hooke_block;

/* All blocks of the library; sets how many there are. */
const hooke_block* hooke_blocks(int* count);
int hooke_plugin_version(void);

#define HOOKE_PLUGIN \
  int hooke_plugin_version(void) { return HOOKE_PLUGIN_VERSION; }

#ifdef __cplusplus
}
#endif
#endif
