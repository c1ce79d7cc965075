/* The same loop in OpenACC, found to be parallel or told so (-DTOLD), in a combined construct of OpenMP (-fopenmp -DCOMBINED) and in separate
   ones (-fopenmp -DSEPARATE), after listing 1 of Hayashi et al. 2019. */
#ifndef GPUC_PAPERS_FORMS_H
#define GPUC_PAPERS_FORMS_H

#define WRITTEN(words) _Pragma(#words)

/* In front of a loop whose iterations run at once: the clauses of OpenACC, and those of OpenMP about the same data. */
#if defined COMBINED
#define DEVICE_LOOP(openacc, openmp) WRITTEN(omp target teams distribute parallel for openmp)
#elif defined SEPARATE
#define DEVICE_LOOP(openacc, openmp) WRITTEN(omp target openmp) WRITTEN(omp teams) WRITTEN(omp distribute parallel for)
#elif defined TOLD
#define DEVICE_LOOP(openacc, openmp) WRITTEN(acc parallel loop openacc)
#else
#define DEVICE_LOOP(openacc, openmp) WRITTEN(acc kernels openacc)
#endif

#endif
