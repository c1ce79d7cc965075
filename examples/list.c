/* Linked lists on the device: a hash table whose chains are moved node by node, each attached to the one before it, looked up
 * by many threads at once, and changed there.  Usage: list [keys] [buckets] */
#include "check.h"

struct node {
    int key, hits;
    struct node *next;
    /* How much a key weighs: memory of the node's own. */
    double *weights;
};

enum { WEIGHTS = 3 };

static struct node *make_node(int key, struct node *next)
{
    struct node *node = allocate(1, sizeof *node);
    node->key = key;
    node->next = next;
    node->weights = allocate(WEIGHTS, sizeof *node->weights);
    for (int i = 0; i < WEIGHTS; i++)
        node->weights[i] = sample(key * WEIGHTS + i);
    return node;
}

/* A chain comes to the device from its end on, so that what a pointer points to is there when it is attached. */
static void move_in(struct node *node)
{
    if (node == NULL)
        return;
    move_in(node->next);
    #pragma acc enter data copyin(node[0:1], node->weights[0:WEIGHTS])
    if (node->next != NULL) {
        #pragma acc enter data attach(node->next)
    }
}

static void move_out(struct node *node)
{
    if (node == NULL)
        return;
    if (node->next != NULL) {
        #pragma acc exit data detach(node->next)
    }
    #pragma acc exit data delete(node->weights[0:WEIGHTS]) copyout(node[0:1])
    move_out(node->next);
}

int main(int argc, char **argv)
{
    int keys = size_argument(argc, argv, 1, 601);
    int buckets = size_argument(argc, argv, 2, 37) + 1;
    struct node **table = allocate(buckets, sizeof *table);
    for (int key = 0; key < keys; key++)
        table[key % buckets] = make_node(key, table[key % buckets]);
    int questions = 4 * keys;
    int *asked = allocate(questions, sizeof *asked);
    double *sums = allocate(questions, sizeof *sums), *expected = allocate(questions, sizeof *expected);
    for (int i = 0; i < questions; i++)
        asked[i] = (int)(mixed_bits(i) % (2u * (unsigned)keys + 1u));

    double begin = seconds();
    #pragma acc enter data copyin(table[0:buckets])
    for (int b = 0; b < buckets; b++) {
        move_in(table[b]);
        if (table[b] != NULL) {
            #pragma acc enter data attach(table[b])
        }
    }
    #pragma acc parallel loop copyin(asked[0:questions]) copyout(sums[0:questions]) present(table[0:buckets])
    for (int i = 0; i < questions; i++) {
        double sum = 0.0;
        for (struct node *node = table[asked[i] % buckets]; node != NULL; node = node->next) {
            if (node->key != asked[i])
                continue;
            #pragma acc atomic update
            node->hits++;
            for (int w = 0; w < WEIGHTS; w++)
                sum += node->weights[w];
        }
        sums[i] = sum;
    }
    for (int b = 0; b < buckets; b++) {
        if (table[b] != NULL) {
            #pragma acc exit data detach(table[b])
        }
        move_out(table[b]);
    }
    #pragma acc exit data delete(table[0:buckets])
    double device = seconds() - begin;

    begin = seconds();
    int hits = 0, found = 0;
    for (int i = 0; i < questions; i++)
        for (struct node *node = table[asked[i] % buckets]; node != NULL; node = node->next)
            if (node->key == asked[i]) {
                found++;
                for (int w = 0; w < WEIGHTS; w++)
                    expected[i] += node->weights[w];
            }
    double host = seconds() - begin;
    for (int b = 0; b < buckets; b++)
        for (struct node *node = table[b], *next; node != NULL; node = next) {
            hits += node->hits;
            next = node->next;
            free(node->weights);
            free(node);
        }

    /* The same three terms in the same order. */
    double error = max_error_double(questions, sums, expected) + abs(hits - found);
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%d keys, %d chains, %d found", keys, buckets, found);
    int status = report("list", sizes, "max relative error", error, 0.0, device, host);
    free(table);
    free(asked);
    free(sums);
    free(expected);
    return status;
}
