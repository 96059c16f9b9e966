import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient } from '../../client/index.ts';
import { resources } from '../../functions/schema.ts';
import { type CollectionName, collectionOf, maxAttempts, toFailure } from '../command-line/collections.ts';
import { CommandFailure } from '../command-line/command-line.ts';
import type { Progress } from '../command-line/progress.ts';
import { csvLine } from './csv.ts';

interface ExportOptions {
  readonly collection: CollectionName;
  readonly url: string;
  readonly token?: string | undefined;
  readonly format: 'ndjson' | 'csv';
  /** The file to write; the standard output by default. */
  readonly output?: string | undefined;
}

/**
 * Writes all entities of a collection in the order of their creation.
 * @returns the number of entities.
 * @throws CommandFailure when the service does not respond or refuses a request, or the output cannot be written.
 */
export async function exportCollection(options: ExportOptions, progress: Progress): Promise<number> {
  const { collection: name, url, token, format, output } = options;
  const collection = collectionOf(createClient({ url, token, tries: maxAttempts }), name);
  const fields = resources.find(({ plural }) => plural === name)?.fieldNames ?? [];
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(fields);
    for await (const entity of collection.iterate({ sortBy: 'createdAt', sortOrder: 'asc' })) {
      const values: Readonly<Record<string, unknown>> = { ...entity };
      const shown = fields.map((field) => [field, values[field]] as const);
      yield format === 'csv'
        ? csvLine(shown.map(([, value]) => value))
        : `${JSON.stringify(Object.fromEntries(shown))}\n`;
      count += 1;
      progress.step();
    }
  }
  try {
    const { total } = await collection.list({ limit: 1, fields: ['id'] });
    progress.begin(name, total);
    const source = Readable.from(lines());
    if (output === undefined) await pipeline(source, process.stdout, { end: false });
    else {
      await mkdir(dirname(output), { recursive: true });
      await pipeline(source, createWriteStream(output));
    }
    return count;
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) {
      const what = output ?? 'The standard output';
      throw new CommandFailure(`${what} cannot be written: ${message}`, { cause: error });
    }
    throw toFailure(`GET /v1/${name}`, error);
  }
}
