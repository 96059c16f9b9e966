/**
 * The ids that an import gives, as a file beside the input. Its first line names the service and the tenant. Each other line has ids, and is written before the service
 * gets them, or the entities of a batch that the service has confirmed. So an entity that is sent again after an interruption has the same id, and the
 * service never creates it twice.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { newId } from '../../client/index.ts';
import { CommandFailure } from '../command-line/command-line.ts';

export const importedIdsFile = 'imported-ids.ndjson';

/** A line of the file. */
interface Noted {
  readonly service?: string;
  /** Absent in files of earlier releases. */
  readonly tenant?: string;
  /** New ids by those in the input. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Ids in the input. */
  readonly created?: readonly string[];
}

export class ImportedIds {
  readonly #given = new Map<string, string>();
  readonly #created = new Set<string>();
  readonly #file: number;

  /**
   * Opens the file, or begins a new one.
   * @throws CommandFailure when it belongs to another service or tenant, or is no such file.
   */
  constructor(path: string, url: string, tenant: string) {
    const isBegun = existsSync(path) && this.#read(path, url, tenant);
    this.#file = openSync(path, 'a');
    if (!isBegun) this.#note({ service: url, tenant });
  }

  /** Returns the new id of an entity; `undefined` when it was not imported. */
  get(id: string): string | undefined {
    return this.#created.has(id) ? this.#given.get(id) : undefined;
  }

  /** Returns the new id of an entity, also before it is imported. */
  given(id: string): string | undefined {
    return this.#given.get(id);
  }

  /** Gives new ids to entities, unless they have one. The ids are in the order of the entities, so lists have it too. */
  give(entities: readonly string[]): void {
    const others = entities.filter((id) => !this.#given.has(id));
    if (others.length > 0) this.#note({ ids: Object.fromEntries(others.map((id) => [id, newId()])) });
  }

  /** Adds the entities of a batch that the service has created. */
  add(created: readonly string[]): void {
    this.#note({ created });
  }

  close(): void {
    closeSync(this.#file);
  }

  #remember({ ids = {}, created = [] }: Noted): void {
    for (const [from, to] of Object.entries(ids)) this.#given.set(from, to);
    for (const id of created) this.#created.add(id);
  }

  #note(line: Noted): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    // An id that the service has must not be lost, also when the machine stops.
    fsyncSync(this.#file);
    this.#remember(line);
  }

  /** Returns whether an interruption has left something of the file. */
  #read(path: string, url: string, tenant: string): boolean {
    const text = readFileSync(path, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    // An interruption can leave a part of a line. Its entities are sent again.
    if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
    const [first, ...lines] = text.slice(0, end).split('\n').slice(0, -1);
    if (first === undefined) return false;
    try {
      const { service, tenant: own = tenant } = JSON.parse(first) as Noted;
      if (service !== url) {
        throw new CommandFailure(
          `${path} has the ids of another service, ${service}. Import into ${url} from another folder.`,
        );
      }
      if (own !== tenant) {
        throw new CommandFailure(
          `${path} has the ids of the tenant ${own}. Import into ${tenant} from another folder.`,
        );
      }
      for (const line of lines) this.#remember(JSON.parse(line) as Noted);
      return true;
    } catch (cause) {
      if (cause instanceof CommandFailure) throw cause;
      throw new CommandFailure(`${path} is not a file of imported ids. Move it away to begin again.`, {
        cause,
      });
    }
  }
}
