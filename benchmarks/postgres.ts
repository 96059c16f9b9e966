/** Runs lists on PostgreSQL, when it is installed, with the indexes that an engineer would create for them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { Resource } from '../functions/contract/resource.ts';
import type { ItemFields } from '../functions/engine/model/entity.ts';
import { median } from './report.ts';
import { type PlanNode, rowsRead } from './rows-read.ts';

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

/** Returns the text of a file with statements, in this folder. */
const statementsOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** Returns the column of a field. */
export const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a value of a field as COPY reads it. An enumeration is its rank. */
function copyText(value: unknown, rank: readonly unknown[] | undefined): string {
  if (value === null || value === undefined) return '\\N';
  if (rank) return String(rank.indexOf(value));
  if (Array.isArray(value)) return `{${value.join(',')}}`;
  const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return String(value).replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
}

/** What psql writes after each statement. */
const timing = /^Time: ([\d.]+) ms/;

/** A server with a data folder of its own. */
export class Postgres {
  readonly #folder: string;
  readonly #programs: string;
  readonly #session: ChildProcess;
  readonly #lines: Interface;
  /** Rejected when psql ends. */
  readonly #end: Promise<never>;
  readonly version: string;

  private constructor(folder: string, folderOfPrograms: string, session: ChildProcess, version: string) {
    this.#folder = folder;
    this.#programs = folderOfPrograms;
    this.#session = session;
    this.version = version;
    if (!session.stdout) throw new TypeError('psql has no standard output.');
    this.#lines = createInterface(session.stdout);
    this.#end = once(this.#lines, 'close').then(() => {
      throw new Error('psql has ended. It wrote the failure of a statement to the standard error.');
    });
    // It also ends when the server is stopped.
    this.#end.catch(() => undefined);
    // A benchmark that fails leaves no server.
    process.once('exit', this.#remove);
  }

  readonly #remove = (): void => {
    run(join(this.#programs, 'pg_ctl'), ['-D', join(this.#folder, 'data'), '-m', 'immediate', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  };

  /** Starts a server. @returns undefined when PostgreSQL is not installed. */
  static async start(): Promise<Postgres | undefined> {
    const folderOfPrograms = programs();
    if (!folderOfPrograms) return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    chmodSync(folder, 0o777);
    const data = join(folder, 'data');
    // The name of the socket in the folder: the server listens on no port.
    const port = 5432;
    run(join(folderOfPrograms, 'initdb'), [
      ...['-D', data, '-A', 'trust', '-E', 'UTF8', '--no-sync'],
      // Texts compare by code point, as in the service.
      '--locale=C',
    ]);
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
    const connection = ['-h', folder, '-p', String(port), '-d', 'postgres', '-qAtX', '-v', 'ON_ERROR_STOP=1'];
    const session = spawn(...asUser('psql', connection), { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
    const postgres = new Postgres(
      folder,
      folderOfPrograms,
      session,
      `PostgreSQL ${/\d+\.\d+/.exec(version)?.[0]}`,
    );
    await postgres.#run([statementsOf('postgres-tables.sql'), '\\timing on\n']);
    return postgres;
  }

  #send(text: string): void {
    this.#session.stdin?.write(text);
  }

  /** Adds entities to the table of their kind. Waits until psql has taken them: a table in this process would fill its memory before. */
  async add({ plural, fieldNames, ranks }: Resource, entities: readonly ItemFields[]): Promise<void> {
    const rows = entities.map((entity) =>
      fieldNames.map((name) => copyText(entity[name], ranks[name])).join('\t'),
    );
    const columns = fieldNames.map(columnOf).join(', ');
    const { stdin } = this.#session;
    if (!stdin?.write(`copy ${plural} (${columns}) from stdin;\n${rows.join('\n')}\n\\.\n`))
      await Promise.race([once(stdin as Writable, 'drain'), this.#end]);
  }

  /**
   * Runs texts of statements one after the other. @returns the lines of their output.
   * @throws Error when a statement fails.
   */
  #run(texts: readonly string[]): Promise<string[]> {
    const [begin, end] = [`begin ${Math.random()}`, `end ${Math.random()}`];
    const output = new Promise<string[]>((resolve) => {
      let lines: string[] = [];
      const onLine = (line: string): void => {
        if (line === begin) lines = [];
        else if (line !== end) lines.push(line);
        if (line !== end) return;
        this.#lines.off('line', onLine);
        resolve(lines);
      };
      this.#lines.on('line', onLine);
    });
    this.#send(`\\echo ${begin}\n${texts.join('')}\\echo ${end}\n`);
    return Promise.race([output, this.#end]);
  }

  /** Runs a statement. @returns the lines of its rows. */
  async rows(statement: string): Promise<string[]> {
    const lines = await this.#run([`${statement};\n`]);
    return lines.filter((line) => !timing.test(line));
  }

  /** Returns the milliseconds of a group of statements: the median of several runs. */
  async medianMs(statements: readonly string[], runs: number): Promise<number> {
    const sums: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const lines = await this.#run(statements.map((statement) => `${statement};\n`));
      const times = lines.map((line) => Number(timing.exec(line)?.[1] ?? 0));
      sums.push(times.reduce((sum, time) => sum + time, 0));
    }
    return median(sums);
  }

  /** Returns how many rows of a table statements read. */
  async rowsRead(statements: readonly string[], table: string): Promise<number> {
    let rows = 0;
    for (const statement of statements) {
      const lines = await this.rows(`explain (analyze, timing off, format json) ${statement}`);
      const [{ Plan }] = JSON.parse(lines.join('\n')) as [{ Plan: PlanNode }];
      rows += rowsRead(Plan, table);
    }
    return rows;
  }

  /**
   * Creates the indexes, and updates the statistics of the planner and the visibility map, so that counts use only an index. All entities
   * have been added.
   */
  async settle(): Promise<void> {
    await this.#run([statementsOf('postgres-indexes.sql'), 'vacuum analyze;\n']);
  }

  async stop(): Promise<void> {
    const exited = once(this.#session, 'exit');
    this.#session.stdin?.end();
    await exited;
    process.off('exit', this.#remove);
    this.#remove();
  }
}
