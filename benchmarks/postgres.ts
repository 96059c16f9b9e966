/** Runs lists on PostgreSQL, when it is installed: `count(*)` and `OFFSET` with suitable indexes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { freePort } from '../lib/local/port.ts';
import type { Project } from './collection.ts';

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

const tableDefinition = `
create table project (id uuid primary key, name text not null, status text not null, organization_id uuid not null,
  description text not null, created_at timestamptz not null);
create index on project (created_at, id);
create index on project (status, created_at, id);
create index on project (organization_id, created_at, id);
create index on project (organization_id, status, created_at, id);
create index on project (name collate "C", created_at, id);`;

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
    const postgres = new Postgres(folder, folderOfPrograms, session, version.trim());
    postgres.#send(`${tableDefinition}\n\\timing on\n`);
    return postgres;
  }

  #send(text: string): void {
    this.#session.stdin?.write(text);
  }

  add(projects: readonly Project[]): void {
    const rows = projects.map(({ id, name, status, organizationId, description, createdAt }) =>
      [id, name, status, organizationId, description, createdAt].join('\t'),
    );
    this.#send(`copy project from stdin;\n${rows.join('\n')}\n\\.\n`);
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
    await this.time(['vacuum analyze project']);
  }

  async stop(): Promise<void> {
    const exited = once(this.#session, 'exit');
    this.#session.stdin?.end();
    await exited;
    run(join(this.#programs, 'pg_ctl'), ['-D', join(this.#folder, 'data'), '-m', 'immediate', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
