import { auditTable } from '#lib/audit/audit-table.ts';
import { contend } from './contention.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** Concurrent writers in one list, on an engine that rejects conflicting transactions. */

let faulty: FaultyService;

beforeAll(async () => {
  faulty = await startFaultyService();
});

afterAll(() => faulty.stop());

test('400 creates in one project, 50 at a time, all succeed without a conflict and count once', async () => {
  const { created, total, refused } = await contend(faulty, { number: 400, atOnce: 50, projects: 1 });
  expect({ created, total, refused }).toEqual({ created: 400, total: 400, refused: 0 });
  const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 100 });
  expect(report).toMatchObject({ orphans: [], malformed: [], logs: [] });
});
