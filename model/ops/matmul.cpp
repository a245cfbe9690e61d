#include "model/ops/matmul.h"
