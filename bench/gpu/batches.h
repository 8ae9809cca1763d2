#pragma once

/// Prints the part "Many instances at once" of the page section; `most`: instances.
void measure_batches(int most);
