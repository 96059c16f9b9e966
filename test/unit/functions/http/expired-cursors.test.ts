import { randomUUID } from 'node:crypto';
import { routes } from '#functions/routes.ts';
import { decodeCursor, encodeCursor, logCursor } from '#functions/store/lists/changes/cursor.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { queryHashBytes } from '#functions/store/lists/query-hash.ts';
import { defaultHistoryDays, recordLifeMs } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { rebuildLogs } from '#lib/audit/change-logs.ts';
import { explanations } from '#lib/pages/problem-explanations.ts';
import { compactAll } from '#test/support/compaction.ts';
import { invoke, problemOf, useEmptyTable } from '#test/support/invoke.ts';

/** A cursor that is too old, or older than a repair of the data, is a 410. The caller then begins again without `since`. */

const table = useEmptyTable();

const feeds = routes.flatMap(({ contract }) =>
  contract.success === 'changes' && contract.resource
    ? [{ contract, operation: contract.operation, kind: contract.resource.kind }]
    : [],
);

/** The tenant of the store that a token with a tenant has. */
const storedTenant = (tenant: string): string => `@${tenant}`;

const database = () => table.store().database();

/** Writes an entity, and lets the columns absorb it. */
async function write(caller: string, kind: Kind): Promise<void> {
  const tenant = storedTenant(caller);
  const fields = { name: 'a', status: 'active', description: '', tagIds: [] };
  const change = buildCreate(kind, fields, Date.now());
  await applyChangeSet({ tenant, database: database() }, { changes: [change] });
  await compactAll(database(), tenant, kind);
}

/** Returns the cursor of the same feed whose caller has all changes up to a time. */
function cursorFrom(text: string, from: number): string {
  const hash = Buffer.from(text, 'base64url').subarray(1, 1 + queryHashBytes);
  const { generation } = decodeCursor(hash, text);
  return encodeCursor(hash, logCursor({ from, generation, isAhead: false }));
}

describe.each(feeds)('$operation', ({ contract, kind }) => {
  const feed = (tenant: string, since?: string) =>
    invoke(contract, { tenant, query: { fields: 'id', ...(since !== undefined && { since }) } });

  async function cursorOf(tenant: string): Promise<string> {
    const { statusCode, body } = await feed(tenant);
    expect(statusCode).toBe(200);
    return (body as { readonly cursor: string }).cursor;
  }

  async function expectExpired(tenant: string, since: string, reason: RegExp): Promise<void> {
    const response = await feed(tenant, since);
    const { status, type, title, detail } = problemOf(response);
    expect({ status, type, title }).toEqual({
      status: 410,
      type: '/docs/problems#cursor-expired',
      title: 'The cursor is too old',
    });
    expect(detail).toMatch(reason);
    expect(detail).toMatch(/Begin again without "since", and then delete the entities that you have/);
    expect(explanations['cursor-expired'].remedy).toMatch(/Read the changes again without `since`/);
    // The way that the problem names.
    const again = await cursorOf(tenant);
    expect((await feed(tenant, again)).statusCode).toBe(200);
  }

  test('is 410 for a cursor that is older than the records, when there are later changes', async () => {
    const tenant = randomUUID();
    const old = cursorFrom(await cursorOf(tenant), Date.now() - recordLifeMs(defaultHistoryDays) - 60_000);
    expect((await feed(tenant, old)).statusCode).toBe(200);
    await write(tenant, kind);
    await expectExpired(tenant, old, /the records have expired/);
  });

  test('is 410 for a cursor from before the columns were rebuilt', async () => {
    const tenant = randomUUID();
    await write(tenant, kind);
    const before = await cursorOf(tenant);
    expect((await feed(tenant, before)).statusCode).toBe(200);
    await rebuildLogs(table.store().client, table.store().tableName);
    await expectExpired(tenant, before, /the data was rebuilt/);
  });

  test('is 410 for a cursor from before an audit repaired the columns', async () => {
    const tenant = randomUUID();
    await write(tenant, kind);
    const log = openLog(database(), storedTenant(tenant), kind);
    const { manifest = emptyManifest } = await log.readHead(Date.now());
    const segments = manifest.segments.map((segment) => ({ ...segment, deleted: segment.deleted - 1 }));
    await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments });
    const before = await cursorOf(tenant);
    await auditTable(table.store().client, table.store().tableName, {
      repair: true,
      pauseMs: 0,
      marginMs: 0,
    });
    await expectExpired(tenant, before, /the data was rebuilt/);
  });
});
