/* A plate heated at one edge, in strips: each process has some rows and a device, neighbours exchange the rows at
 * their borders between sweeps.  Usage: mpi-jacobi [rows of a process] [columns] [sweeps] */
#include <math.h>
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = argc > 1 ? atoi(argv[1]) : 30, columns = argc > 2 ? atoi(argv[2]) : 101;
    int sweeps = argc > 3 ? atoi(argv[3]) : 40;

    /* Each process takes the next device; with fewer devices than processes they share. */
    int devices = acc_get_num_devices(acc_get_device_type());
    if (devices > 0)
        acc_set_device_num(rank % devices, acc_get_device_type());

    int n = (rows + 2) * columns;
    double *restrict t = calloc(n, sizeof *t), *restrict next = calloc(n, sizeof *next);
    if (rank == 0)
        for (int j = 0; j < columns; j++)
            t[j] = next[j] = 100.0;
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double change = 0.0, all = 0.0, heat = 0.0, total = 0.0;
    int last = rows * columns, end = last + columns;

    #pragma acc data copy(t[0:n], next[0:n])
    {
        for (int sweep = 0; sweep < sweeps; sweep++) {
            change = 0.0;
            #pragma acc parallel loop collapse(2) reduction(max: change) present(t[0:n], next[0:n])
            for (int i = 1; i <= rows; i++)
                for (int j = 1; j < columns - 1; j++) {
                    int at = i * columns + j;
                    next[at] = 0.25 * (t[at - 1] + t[at + 1] + t[at - columns] + t[at + columns]);
                    change = fmax(change, fabs(next[at] - t[at]));
                }
            /* Rows at the borders of the strip go by way of the host. */
            #pragma acc update self(next[columns:columns], next[last:columns])
            MPI_Sendrecv(next + columns, columns, MPI_DOUBLE, above, 0, next + end, columns, MPI_DOUBLE, below, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Sendrecv(next + last, columns, MPI_DOUBLE, below, 1, next, columns, MPI_DOUBLE, above, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            #pragma acc update device(next[0:columns], next[end:columns])
            double *swap = t;
            t = next;
            next = swap;
        }
        #pragma acc parallel loop reduction(+: heat) present(t[0:n])
        for (int at = columns; at < end; at++)
            heat += t[at];
    }
    MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    /* One process does the same with all strips as one plate. */
    int wrong = 0;
    if (rank == 0) {
        int whole = ranks * rows, size = (whole + 2) * columns;
        double *one = calloc(size, sizeof *one), *other = calloc(size, sizeof *other), sum = 0.0, most = 0.0;
        for (int j = 0; j < columns; j++)
            one[j] = other[j] = 100.0;
        for (int sweep = 0; sweep < sweeps; sweep++) {
            most = 0.0;
            for (int i = 1; i <= whole; i++)
                for (int j = 1; j < columns - 1; j++) {
                    int at = i * columns + j;
                    other[at] = 0.25 * (one[at - 1] + one[at + 1] + one[at - columns] + one[at + columns]);
                    most = fmax(most, fabs(other[at] - one[at]));
                }
            double *swap = one;
            one = other;
            other = swap;
        }
        for (int at = columns; at < (whole + 1) * columns; at++)
            sum += one[at];
        wrong = !(fabs(total - sum) <= 1e-12 * fabs(sum) && all == most);
        printf("mpi-jacobi: %d processes, %d x %d %s (heat %.6f, change %.3e)\n", ranks, whole, columns,
               wrong ? "WRONG" : "verified", total, all);
        free(one);
        free(other);
    }
    free(t);
    free(next);
    MPI_Finalize();
    return wrong;
}
