// SystemC's library wants the program to define sc_main. davsim embeds the simulation in ordinary
// programs with a main of their own and runs it with sc_start.
#include <systemc>

int sc_main(int, char**) {
  return 0;
}
