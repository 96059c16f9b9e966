/**
 * The ids that an import has given, as a file beside the input. Its first line names the service and the import. Each other line is one batch, and
 * is written after the service has confirmed it. So the file also tells what is left to do after an interruption.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { CommandFailure } from '../cli/command-line.ts';

export const importedIdsFile = 'imported-ids.ndjson';

/** New ids by those in the input. */
type Ids = Readonly<Record<string, string>>;

export class ImportedIds {
  /** A random text, the beginning of the idempotency keys: another import of the same file creates other entities. */
  readonly importId: string;
  readonly #ids = new Map<string, string>();
  readonly #file: number;

  /**
   * Opens the file, or begins a new one.
   * @throws CommandFailure when it belongs to another service, or is no such file.
   */
  constructor(path: string, url: string) {
    const known = existsSync(path) ? this.#read(path, url) : undefined;
    this.importId = known ?? randomUUID();
    this.#file = openSync(path, 'a');
    if (known === undefined) this.#append({ service: url, import: this.importId });
  }

  /** Returns the new id of an entity; `undefined` when it was not imported. */
  get(id: string): string | undefined {
    return this.#ids.get(id);
  }

  /** Adds the entities of a batch that the service has created. */
  add(ids: Ids): void {
    this.#append({ ids });
    this.#remember(ids);
  }

  close(): void {
    closeSync(this.#file);
  }

  #remember(ids: Ids): void {
    for (const [from, to] of Object.entries(ids)) this.#ids.set(from, to);
  }

  #append(line: object): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    // What is confirmed must not be created again, also after the machine has stopped.
    fsyncSync(this.#file);
  }

  /** Returns the id of the import; `undefined` when an interruption has left nothing of the file. */
  #read(path: string, url: string): string | undefined {
    const text = readFileSync(path, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    // An interruption can leave a part of a line. Its batch is sent again.
    if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
    const [first, ...lines] = text.slice(0, end).split('\n').slice(0, -1);
    if (first === undefined) return undefined;
    try {
      const { service, import: importId } = JSON.parse(first) as { service?: string; import: string };
      if (service !== url) {
        throw new CommandFailure(
          `${path} has the ids of another service, ${service}. Import into ${url} from another folder.`,
        );
      }
      for (const line of lines) this.#remember((JSON.parse(line) as { ids: Ids }).ids);
      return importId;
    } catch (cause) {
      if (cause instanceof CommandFailure) throw cause;
      throw new CommandFailure(`${path} is not a file of imported ids. Move it away to begin again.`, {
        cause,
      });
    }
  }
}
