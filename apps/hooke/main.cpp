// The program: a command line around the facade in src/hooke/simulation.
#include "program.h"

int main(int argc, char** argv) { return hooke::program::Program().run(argc, argv); }
