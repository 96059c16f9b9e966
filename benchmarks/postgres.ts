/** Runs lists on PostgreSQL, when it is installed: `count(*)` and `OFFSET` with suitable indexes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { freePort } from '../lib/local/port.ts';
import type { Task } from './task-collection.ts';

/** Where Linux distributions install the server. */
const versions = '/usr/lib/postgresql';

function programs(): string | undefined {
  const newest = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
  const folder = newest && join(versions, newest, 'bin');
  return folder && existsSync(join(folder, 'initdb')) ? folder : undefined;
}

/** Returns a command as the user "postgres" when this process is root, because the server does not run as root. */
const asUser = (command: string, flags: readonly string[]): [string, string[]] =>
  userInfo().uid === 0 ? ['runuser', ['-u', 'postgres', '--', command, ...flags]] : [command, [...flags]];

function run(command: string, flags: readonly string[]): void {
  const { status, stderr } = spawnSync(...asUser(command, flags), { encoding: 'utf8', cwd: '/' });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}

/** The indexes that an engineer would create for the lists of the benchmark. */
const tableDefinition = `
create table task (id uuid primary key, name text not null, status text not null, priority smallint not null,
  description text not null, project_id uuid, user_id uuid, due_date date, tag_ids uuid[] not null,
  created_at timestamptz not null, updated_at timestamptz not null);
create index on task (created_at, id);
create index on task (status, created_at, id);
create index on task (project_id, created_at, id);
create index on task (project_id, status, created_at, id);
create index on task (user_id, created_at, id);
create index on task (priority, created_at, id);
create index on task (status, due_date, created_at, id);
create index on task (updated_at, created_at, id);
create index on task (name collate "C", created_at, id);
create index on task using gin (tag_ids);`;

/** Ranks of priorities. */
const priorities = ['none', 'low', 'medium', 'high', 'urgent'];

/** Escapes a text for COPY. */
const copyText = (text: string | null): string => (text === null ? '\\N' : text.replaceAll('\\', '\\\\'));

/** A server with a data folder of its own. */
export class Postgres {
  readonly #folder: string;
  readonly #programs: string;
  readonly #session: ChildProcess;
  readonly #lines: Interface;
  readonly version: string;

  private constructor(folder: string, folderOfPrograms: string, session: ChildProcess, version: string) {
    this.#folder = folder;
    this.#programs = folderOfPrograms;
    this.#session = session;
    this.version = version;
    if (!session.stdout) throw new TypeError('psql has no standard output.');
    this.#lines = createInterface(session.stdout);
  }

  /** Starts a server. @returns undefined when PostgreSQL is not installed. */
  static async start(): Promise<Postgres | undefined> {
    const folderOfPrograms = programs();
    if (!folderOfPrograms) return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    chmodSync(folder, 0o777);
    const data = join(folder, 'data');
    const port = await freePort();
    run(join(folderOfPrograms, 'initdb'), ['-D', data, '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    const options = `-p ${port} -k ${folder} -c listen_addresses= -c shared_buffers=1GB -c max_wal_size=8GB -c jit=off`;
    run(join(folderOfPrograms, 'pg_ctl'), [
      '-D',
      data,
      '-o',
      options,
      '-l',
      join(folder, 'log'),
      '-w',
      'start',
    ]);
    const version = spawnSync(join(folderOfPrograms, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout;
    const connection = ['-h', folder, '-p', String(port), '-d', 'postgres', '-qAtX'];
    const session = spawn(...asUser('psql', connection), { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
    const postgres = new Postgres(
      folder,
      folderOfPrograms,
      session,
      `PostgreSQL ${/\d+\.\d+/.exec(version)?.[0]}`,
    );
    postgres.#send(`${tableDefinition}\n\\timing on\n`);
    return postgres;
  }

  #send(text: string): void {
    this.#session.stdin?.write(text);
  }

  add(tasks: readonly Task[]): void {
    const rows = tasks.map((task) =>
      [
        task.id,
        task.name,
        task.status,
        String(priorities.indexOf(task.priority)),
        task.description,
        task.projectId,
        task.userId,
        task.dueDate,
        `{${task.tagIds.join(',')}}`,
        task.createdAt,
        task.updatedAt,
      ]
        .map(copyText)
        .join('\t'),
    );
    this.#send(`copy task from stdin;\n${rows.join('\n')}\n\\.\n`);
  }

  /** Runs statements one after the other. @returns the milliseconds of each. */
  async time(statements: readonly string[]): Promise<number[]> {
    const end = `end ${Math.random()}`;
    const times: number[] = [];
    const done = new Promise<void>((resolve) => {
      const onLine = (line: string): void => {
        const time = /^Time: ([\d.]+) ms/.exec(line)?.[1];
        if (time) times.push(Number(time));
        if (line !== end) return;
        this.#lines.off('line', onLine);
        resolve();
      };
      this.#lines.on('line', onLine);
    });
    this.#send(
      `\\echo ${end} begins\n${statements.map((statement) => `${statement};\n`).join('')}\\echo ${end}\n`,
    );
    await done;
    return times.slice(-statements.length);
  }

  /** Updates the statistics of the planner and the visibility map, so that counts use only the index. */
  async settle(): Promise<void> {
    await this.time(['vacuum analyze task']);
  }

  async stop(): Promise<void> {
    const exited = once(this.#session, 'exit');
    this.#session.stdin?.end();
    await exited;
    run(join(this.#programs, 'pg_ctl'), ['-D', join(this.#folder, 'data'), '-m', 'immediate', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
