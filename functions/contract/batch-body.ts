/** The body of a batch. `http/batch-operations.ts` validates its operations one by one. */
import * as v from 'valibot';

/** Operations in one batch. With their long texts, jobs and records, they never exceed one transaction. */
export const maxOperations = 25;

export const batchSchema = () =>
  v.object({
    operations: v.pipe(
      v.array(v.unknown(), 'must be an array of operations'),
      v.check(
        ({ length }) => length >= 1 && length <= maxOperations,
        `must have 1 to ${maxOperations} operations`,
      ),
    ),
  });
