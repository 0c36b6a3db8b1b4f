/*
 * Functions of the mathematical library. The checksum contains all bits of their results.
 * build: -lm -fno-builtin
 */
#include "check.h"

#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

static double (*const one[])(double) = {
    sin,  cos,   tan,   asin, acos,      atan,  sinh, cosh, tanh, asinh, acosh,  atanh,  exp,
    exp2, expm1, log,   log2, log10,     log1p, sqrt, cbrt, erf,  erfc,  lgamma, tgamma, floor,
    ceil, trunc, round, rint, nearbyint, fabs,  logb, j0,   j1,   y0,    y1,
};
static float (*const one_float[])(float) = {
    sinf,    cosf,    tanf,   asinf, acosf,  atanf,  sinhf, coshf,      tanhf, expf,
    exp2f,   expm1f,  logf,   log2f, log10f, log1pf, sqrtf, cbrtf,      erff,  erfcf,
    lgammaf, tgammaf, floorf, ceilf, truncf, roundf, rintf, nearbyintf,
};
static double (*const two[])(double, double) = {
    pow, atan2, fmod, hypot, remainder, fdim, fmax, fmin, copysign, nextafter, drem,
};
static float (*const two_float[])(float, float) = {powf,       atan2f, fmodf, hypotf,
                                                   remainderf, fmaxf,  fminf};

static void keep(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    mix(value != value ? 1 : bits);
}

static const double values[] = {0,    -0.0,  0.25,  0.7,   1,   -1.5,  2.75,
                                10.1, -33.3, 100.5, 1e-10, 1e5, -1e18, 1e300};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++)
        for (unsigned v = 0; v < COUNT(values); v++) {
            double x = values[v], y = values[(v + 5) % COUNT(values)], s, c, whole;
            int exponent;

            for (unsigned f = 0; f < COUNT(one); f++)
                keep(one[f](x));
            for (unsigned f = 0; f < COUNT(one_float); f++)
                keep(one_float[f]((float)x));
            for (unsigned f = 0; f < COUNT(two); f++)
                keep(two[f](x, y));
            for (unsigned f = 0; f < COUNT(two_float); f++)
                keep(two_float[f]((float)x, (float)y));
            keep(fma(x, y, 3.5));
            keep(fmaf((float)x, (float)y, 3.5f));
            keep(frexp(x, &exponent) + exponent);
            keep(ldexp(x, 3) + scalbn(x, 2));
            keep(modf(x, &whole) + whole);
            keep((double)(lrint(fmod(x, 1000)) + llround(fmod(x, 1000)) + lround(fmod(y, 1000))));
            __builtin_sincos(x, &s, &c);
            keep(s + c);
            keep((double)sinl(x) + (double)expl(x / 1000) + (double)powl(fabs(x), 0.5L) +
                 (double)logl(fabs(x) + 1));
            keep(cabs(cexp(0.01 * x + I)) + creal(csqrt(x + y * I)) + cimag(cpow(1 + I, 0.5 + I)));
        }
    return report("libm");
}
