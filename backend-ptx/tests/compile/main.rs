//! Kernels of the gpu level through the backend: the text, what ptxas says of it, and what comes
//! out when the simulator runs it.

mod ptxas;
mod run;
mod support;

mod atomics;
mod casts;
mod control;
mod examples;
mod floats;
mod integers;
mod loops;
mod memory;
mod refusals;
mod threads;
mod vectors;
