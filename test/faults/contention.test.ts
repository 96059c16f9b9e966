import { auditTable } from '../../lib/audit/audit-table.ts';
import { contend } from './contention.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** Concurrent writers in one list, on an engine that rejects conflicting transactions. */

let faulty: FaultyService;

beforeAll(async () => {
  faulty = await startFaultyService();
});

afterAll(() => faulty.stop());

test('400 creates in one project, 50 at a time, all succeed and count once', async () => {
  const { created, total, refused } = await contend(faulty, 400, 50);
  expect(refused).toBeGreaterThan(0);
  expect({ created, total }).toEqual({ created: 400, total: 400 });
  const report = await auditTable(faulty.client, faulty.service.tableName, { pause: 100 });
  expect(report).toMatchObject({ drifts: [], orphans: [], unsettled: [] });
});
