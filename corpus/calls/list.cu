// A linked list per thread, node by node from malloc.
#include <cstdlib>

struct Node
{
    unsigned value;
    Node *next;
};

extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node *head = nullptr;
    for (unsigned j = 0; j < 3; j++) {
        Node *node = (Node *)malloc(sizeof(Node));
        if (!node)
            break;
        node->value = in[i] + j;
        node->next = head;
        head = node;
    }
    unsigned sum = 0;
    while (head) {
        Node *next = head->next;
        sum = 3 * sum + head->value;
        free(head);
        head = next;
    }
    out[i] = sum;
}
