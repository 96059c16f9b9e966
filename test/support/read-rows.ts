/** Lists of rows in tests, without a table. */
import { listRows, type RowPage } from '#functions/engine/columns/read/list-rows.ts';
import type { ListSource } from '#functions/engine/columns/read/read-state.ts';
import { readState } from '#functions/engine/columns/read/read-state.ts';
import type { RowQuery } from '#functions/engine/columns/read/row-query.ts';
import { StaleRead } from '#functions/engine/columns/read/stale-read.ts';

const maxAttempts = 5;

/** Reads a list, again while the log changes. @throws StaleRead when it changes during each attempt. */
export async function readRows(source: ListSource, query: RowQuery): Promise<RowPage> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const state = await readState(source);
      return await listRows(source, state, query);
    } catch (error) {
      if (!(error instanceof StaleRead) || attempt === maxAttempts) throw error;
    }
  }
}
