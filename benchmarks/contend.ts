import { conflicts } from './engine-proxy.ts';
import type { FaultyService } from './faulty-service.ts';

/** Milliseconds for which a transaction holds its items. */
const holdMs = 8;

export interface Contention {
  readonly created: number;
  readonly total: number;
  /** Transactions that were rejected because of a conflict. */
  readonly refused: number;
  readonly milliseconds: number;
  /** Milliseconds of the slowest request. */
  readonly longest: number;
}

/** Creations that meet. */
interface Creates {
  readonly number: number;
  /** Number of concurrent requests. */
  readonly atOnce: number;
  /** Number of projects among which the tasks are distributed. */
  readonly projects: number;
}

/** Creates tasks concurrently, on an engine that rejects conflicting transactions, as DynamoDB does. */
export async function contend(
  faulty: FaultyService,
  { number, atOnce, projects }: Creates,
): Promise<Contention> {
  const make = (plural: string, fields: object) =>
    faulty.send<{ id: string }>('POST', `/v1/${plural}`, { name: 'x', ...fields });
  const organizationId = (await make('organizations', {})).body.id;
  const projectIds: string[] = [];
  for (let project = 0; project < projects; project += 1) {
    projectIds.push((await make('projects', { organizationId })).body.id);
  }
  const injector = conflicts(holdMs);
  faulty.proxy.inject(injector);
  const started = performance.now();
  let begun = 0;
  let created = 0;
  let longest = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun < number) {
        const projectId = projectIds[begun % projects];
        begun += 1;
        const before = performance.now();
        if ((await make('tasks', { projectId })).status === 201) created += 1;
        longest = Math.max(longest, performance.now() - before);
      }
    }),
  );
  const milliseconds = performance.now() - started;
  faulty.proxy.inject(undefined);
  let total = 0;
  for (const projectId of projectIds) {
    const list = await faulty.send<{ total: number }>('GET', `/v1/projects/${projectId}/tasks?limit=1`);
    total += list.body.total;
  }
  return { created, total, refused: injector.refused, milliseconds, longest };
}
