/** A life of the world: clients write and read, the cloud does its part, and at the end everything must be right. */
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean, reportLines } from '#lib/audit/report.ts';
import { finishErasures, loseNumbers, losePositions, runCommand } from './commands.ts';
import { requireRestorable } from './conservation.ts';
import { type Process, tableName } from './process.ts';
import { checkHistory, Follower, readList, restoreAll, Writer } from './workload.ts';
import { type Conditions, World } from './world.ts';

/** Milliseconds between two calls of the schedule. The cloud has a minute: in a history, time is short. */
const scheduleMs = 15_000;

/** Pages of a feed, or refusals of it, after the last write. */
const maxRounds = 60;

/** The share of the histories at whose end all that is deleted is restored. */
const shareOfRestored = 0.3;

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
  // Commands run in the process of the test.
  setTimeAndChance(world.time);
  try {
    await scenario(world);
    await world.settle();
    await finishErasures(world);
    await world.settle();
    await check(world);
    return world;
  } catch (cause) {
    throw new Error(`Seed ${seed}: ${(cause as Error).message}`, { cause });
  } finally {
    world.time.end();
    setTimeAndChance();
  }
}

/** Clients write and read, and the cloud does its part, until the writers have made their steps; then again after a quiet time, if there is one. */
export async function live(world: World): Promise<void> {
  const { faults, steps = 16, restMs } = world.conditions;
  await seed(world);
  world.moments.isNamed = true;
  if (faults) world.table.faults = faults;
  const followers = [
    new Follower(world, 'task', '', () => true),
    new Follower(world, 'task', 'status=done&', ({ status }) => status === 'done'),
    new Follower(world, 'project', '', () => true),
    new Follower(world, 'task', '', () => true, 'ada'),
    new Follower(world, 'project', '', () => true, 'ada'),
  ];
  if (restMs !== undefined) {
    await act(world, followers, Math.ceil(steps / 2));
    await rest(world, restMs);
  }
  await act(world, followers, restMs === undefined ? steps : Math.floor(steps / 2));
  world.table.faults = {};
  world.idle = undefined;
  // The next creation that succeeds makes the counter again.
  const create = () => world.send('POST', '/v1/tasks', { name: world.newMark() });
  if (world.conditions.losesNumbers) while ((await create()).status !== 201) await world.wait(1_000);
  for (const follower of followers)
    for (let rounds = 0; await follower.poll(100); ) {
      // The feed responds 503 behind too many lost positions, until compaction has filled them. The stream begins it.
      await world.wait(10_000);
      await world.deliverRecords();
      await world.runSchedule();
      rounds += 1;
      if (rounds > maxRounds) throw new Error(`A feed has no end after ${maxRounds} pages.`);
    }
}

async function act(world: World, followers: readonly Follower[], steps: number): Promise<void> {
  const { writers = 3, maxPauseMs = 4_000 } = world.conditions;
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
  const background = [
    whileWriting(3_000, () => readList(world, world.random)),
    whileWriting(3_000, () => readList(world, world.random)),
    ...followers.map((follower) => whileWriting(8_000, () => follower.poll(1 + world.random.below(30)))),
    runSchedule(world, () => isWriting),
    deliverStream(world, () => isWriting),
    ...disturb(world, () => isWriting),
    ...operate(world, whileWriting),
  ];
  const first = Promise.all(background);
  await Promise.race([Promise.all(Array.from({ length: writers }, write)), first]);
  isWriting = false;
  await first;
}

/** A time without requests, in which the schedule runs now and then. */
async function rest(world: World, restMs: number): Promise<void> {
  for (let part = 0; part < 4; part += 1) {
    await world.wait(restMs / 4);
    await world.deliverRecords();
    await world.runSchedule();
  }
  world.table.expire();
}

/** Entities that the first requests need. */
async function seed(world: World): Promise<void> {
  for (const plural of ['organizations', 'users', 'tags', 'tasks'])
    for (let count = 0; count < 3; count += 1)
      await world.send('POST', `/v1/${plural}`, { name: world.newMark() });
  const [organizationId] = world.moments.state.organization.keys();
  await world.send('POST', '/v1/projects', { name: world.newMark(), organizationId });
  const [projectId] = world.moments.state.project.keys();
  for (let left = world.conditions.tasks ?? 0; left > 0; left -= 25) {
    const bodies = Array.from({ length: Math.min(25, left) }, () => ({ name: world.newMark(), projectId }));
    const operations = bodies.map((body) => ({ operation: 'create', body }));
    await world.send('POST', '/v1/tasks/batch', { operations });
  }
  if (world.conditions.tasks) await seedSmallProject(world, organizationId);
}

/** A project with sub-tasks in an organization whose restore takes a job: a part of it that one transaction restores. */
async function seedSmallProject(world: World, organizationId: string | undefined): Promise<void> {
  const create = async (plural: string, fields: object): Promise<string> => {
    const { body } = await world.send('POST', `/v1/${plural}`, { name: world.newMark(), ...fields });
    return (body as { readonly id: string }).id;
  };
  const projectId = await create('projects', { organizationId });
  const parentId = await create('tasks', { projectId });
  for (let count = 0; count < 2; count += 1) await create('tasks', { projectId, parentId });
}

async function runSchedule(world: World, isWriting: () => boolean): Promise<void> {
  while (isWriting()) {
    await world.wait(scheduleMs);
    await world.runSchedule();
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

/** What operators do, and what processes leave behind. */
function operate(
  world: World,
  whileWriting: (maxMs: number, step: () => Promise<unknown>) => Promise<void>,
): Promise<void>[] {
  const { hasCommands, losesPositions, losesNumbers } = world.conditions;
  return [
    whileWriting(30_000, async () => {
      world.idle = world.random.chance(0.5) ? world.random.pick(world.processes) : undefined;
    }),
    ...(hasCommands ? [whileWriting(25_000, () => runCommand(world))] : []),
    ...(losesNumbers ? [whileWriting(25_000, () => loseNumbers(world))] : []),
    ...(losesPositions ? [whileWriting(25_000, () => losePositions(world))] : []),
  ];
}

/** Requires of a quiet world what must hold then, and again when all that was deleted is restored. */
export async function check(world: World): Promise<void> {
  await requireRight(world);
  if (!world.random.chance(shareOfRestored)) return;
  await restoreAll(world);
  await requireRight(world);
}

async function requireRight(world: World): Promise<void> {
  for (let count = 0; count < 10; count += 1) await readList(world, world.random);
  requireReferences(world);
  requireRestorable(world.table.snapshot(), world.time.now());
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
