/* Friction of a joint in C: Stribeck's curve, and a bristle that remembers (LuGre).
 *
 *     cc -shared -fPIC -O2 -I ../../src -o libstribeck.so stribeck.c
 *     hooke run plugin.yaml --allow-code                                                                     */
#include <hooke/catalog/plugin.h>
#include <math.h>

static double level(double v) { return 1.0 + 0.5 * exp(-(v / 0.1) * (v / 0.1)); } /* N m */

/* inputs: rate of the joint; output: torque */
static double stribeck(double t, const double* u, const double* z) {
  (void)t, (void)z;
  return level(u[0]) * tanh(u[0] / 1e-2) + 0.1 * u[0];
}

/* The same with the deflection of bristles as a state: z' = v - s |v| z / level(v) */
static const double stiffness = 1e3, damping = 10;
static double bristle_rate(double v, double z) { return v - stiffness * fabs(v) * z / level(v); }
static void rates(double t, const double* u, const double* z, double* dz) {
  (void)t;
  dz[0] = bristle_rate(u[0], z[0]);
}
static double lugre(double t, const double* u, const double* z) {
  (void)t;
  return stiffness * z[0] + damping * bristle_rate(u[0], z[0]) + 0.1 * u[0];
}

static const hooke_block blocks[] = {{"stribeck", 1, 0, 0, stribeck, 0}, {"lugre", 1, 1, 0, lugre, rates}};

HOOKE_PLUGIN
const hooke_block* hooke_blocks(int* count) {
  *count = 2;
  return blocks;
}
