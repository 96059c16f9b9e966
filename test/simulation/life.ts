/** A life of the world: clients write and read, the cloud does its part, and at the end everything must be right. */
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean, reportLines } from '#lib/audit/report.ts';
import { type Process, tableName } from './process.ts';
import { checkHistory, Follower, readList, Writer } from './workload.ts';
import { type Conditions, World } from './world.ts';

/** Milliseconds between two calls of the schedule. The cloud has a minute: in a history, time is short. */
const scheduleMs = 15_000;

/**
 * Runs a history, and requires at its end what must hold of a quiet world.
 * @param scenario what happens. By default `live`.
 * @throws Error that says what is wrong.
 */
export async function simulate(
  seed: number,
  conditions: Conditions,
  scenario: (world: World) => Promise<void> = live,
): Promise<World> {
  const world = await World.begin(seed, conditions);
  try {
    await scenario(world);
    await world.settle();
    await check(world);
    return world;
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    world.time.end();
  }
}

/** Clients write and read, and the cloud does its part, until the writers have made their steps. */
export async function live(world: World): Promise<void> {
  const { faults, steps = 16, writers = 3, maxPauseMs = 4_000 } = world.conditions;
  await seed(world);
  if (faults) world.table.faults = faults;
  let isWriting = true;
  const whileWriting = async (maxMs: number, step: () => Promise<unknown>): Promise<void> => {
    while (isWriting) {
      await world.wait(world.random.below(maxMs));
      await step();
    }
  };
  const write = async (): Promise<void> => {
    const writer = new Writer(world, world.random);
    for (let step = 0; step < steps; step += 1) {
      await world.wait(world.random.below(maxPauseMs));
      await writer.step();
    }
  };
  const followers = [
    new Follower(world, 'task', '', () => true),
    new Follower(world, 'task', 'status=done&', ({ status }) => status === 'done'),
    new Follower(world, 'project', '', () => true),
  ];
  const background = [
    whileWriting(3_000, () => readList(world, world.random)),
    whileWriting(3_000, () => readList(world, world.random)),
    ...followers.map((follower) => whileWriting(8_000, () => follower.poll(1 + world.random.below(30)))),
    runSchedule(world, () => isWriting),
    deliverStream(world, () => isWriting),
    ...disturb(world, () => isWriting),
  ];
  const first = Promise.all(background);
  await Promise.race([Promise.all(Array.from({ length: writers }, write)), first]);
  isWriting = false;
  await first;
  world.table.faults = {};
  for (const follower of followers) while (await follower.poll(100));
}

/** Entities that the first requests need. */
async function seed(world: World): Promise<void> {
  for (const plural of ['organizations', 'users', 'tags', 'tasks'])
    for (let count = 0; count < 3; count += 1)
      await world.send('POST', `/v1/${plural}`, { name: world.newMark() });
  const [organizationId] = world.moments.state.organization.keys();
  await world.send('POST', '/v1/projects', { name: world.newMark(), organizationId });
}

async function runSchedule(world: World, isWriting: () => boolean): Promise<void> {
  while (isWriting()) {
    await world.wait(scheduleMs);
    await world.random.pick(world.processes).onSchedule();
  }
}

async function deliverStream(world: World, isWriting: () => boolean): Promise<void> {
  while (isWriting()) {
    await world.wait(world.random.below(5_000));
    await world.deliverRecords();
  }
}

/** Crashes and wrong clocks. */
function disturb(world: World, isWriting: () => boolean): Promise<void>[] {
  const { meanCrashMs, clockJumps } = world.conditions;
  const repeat = async (meanMs: number, disturb: (process: Process) => void): Promise<void> => {
    while (isWriting()) {
      await world.wait(Math.min(10_000, world.random.below(2 * meanMs)));
      if (world.random.chance(10_000 / meanMs)) disturb(world.random.pick(world.processes));
    }
  };
  return [
    ...(meanCrashMs === undefined
      ? []
      : [
          repeat(meanCrashMs, (process) => {
            process.callsLeft = 1 + world.random.below(30);
          }),
        ]),
    ...(clockJumps === undefined
      ? []
      : [
          repeat(clockJumps.meanMs, (process) => {
            process.clockErrorMs = Math.round((2 * world.random.next() - 1) * clockJumps.maxMs);
          }),
        ]),
  ];
}

/** Requires of a quiet world what must hold then. */
export async function check(world: World): Promise<void> {
  for (let count = 0; count < 10; count += 1) await readList(world, world.random);
  requireReferences(world);
  for (const version of world.moments.state.task.values()) {
    if (world.random.chance(0.2)) await checkHistory(world, version);
  }
  const audit = () => auditTable(world.table, tableName, { pauseMs: 0, nowMs: world.time.now() });
  const first = await audit();
  // Moves at the same time can make a cycle, which the daily visit breaks.
  if (first.cycles.length > 0) await world.passDays(1);
  const report = await audit();
  if (!isClean(report)) throw new Error(reportLines(report).join('\n'));
}

/** What a deletion removes is gone, and nothing refers to it. */
function requireReferences(world: World): void {
  const { state } = world.moments;
  const parents = [
    ['project', 'organizationId', 'organization'],
    ['user', 'organizationId', 'organization'],
    ['tag', 'organizationId', 'organization'],
    ['task', 'projectId', 'project'],
    ['task', 'parentId', 'task'],
    ['task', 'userId', 'user'],
    ['task', 'tagIds', 'tag'],
  ] as const;
  for (const [kind, field, parent] of parents)
    for (const { entity } of state[kind].values())
      for (const id of [entity[field] ?? []].flat())
        if (!state[parent].has(String(id)))
          throw new Error(`The ${kind} ${entity.id} refers to the ${parent} ${id}, which does not exist.`);
}
