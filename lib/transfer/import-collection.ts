import { createReadStream, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, isProblem, ProblemError } from '../../client/index.ts';
import { maxOperations } from '../../functions/contract/contract.ts';
import { referencesOf } from '../../functions/engine/model/relations.ts';
import type { Relation } from '../../functions/engine/model/schema.ts';
import { maxBodyBytes } from '../../functions/http/json-body.ts';
import { routes } from '../../functions/routes.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { type CollectionName, createAll, maxAttempts } from '../cli/collections.ts';
import { CommandFailure } from '../cli/command-line.ts';
import type { Progress } from '../cli/progress.ts';
import { ImportedIds, importedIdsFile } from './imported-ids.ts';

interface ImportOptions {
  readonly collection: CollectionName;
  readonly url: string;
  readonly token?: string | undefined;
  readonly input: string;
  /** What to do with a reference to an entity that was not imported. */
  readonly otherReferences: 'fail' | 'keep' | 'drop';
  readonly concurrency: number;
}

/** Bytes of the entities of one batch, at most: those of its operations come on top. */
const maxBatchBytes = maxBodyBytes - 4_096;

/** An entity of the input. */
interface Line {
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly entity: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly bytes: number;
}

interface ImportResult {
  readonly created: number;
  /** Entities that an earlier run has created. */
  readonly known: number;
  /** The file with the new ids. */
  readonly ids: string;
}

function parseLine(file: string, text: string, number: number): Line {
  let entity: unknown;
  try {
    entity = JSON.parse(text);
  } catch (cause) {
    throw new CommandFailure(`Line ${number} of ${file} is not JSON. Nothing was created.`, { cause });
  }
  if (typeof entity !== 'object' || entity === null || !('id' in entity) || typeof entity.id !== 'string') {
    throw new CommandFailure(`Line ${number} of ${file} is not an entity with an id. Nothing was created.`);
  }
  return { number, entity: entity as Line['entity'], bytes: Buffer.byteLength(text) };
}

async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1;
    if (text.trim() !== '') yield parseLine(file, text, number);
  }
}

/** Divides the lines of entities into batches. */
async function* readBatches(file: string, wanted: ReadonlySet<string>): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = [];
  let bytes = 0;
  for await (const line of readLines(file)) {
    if (!wanted.has(line.entity.id)) continue;
    if (batch.length === maxOperations || (batch.length > 0 && bytes + line.bytes > maxBatchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += line.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Checks all lines before anything is created. @returns the ids of their entities. */
async function readIds(file: string): Promise<readonly string[]> {
  const numbers = new Map<string, number>();
  for await (const { entity, number } of readLines(file)) {
    const other = numbers.get(entity.id);
    if (other !== undefined) {
      throw new CommandFailure(
        `Lines ${other} and ${number} of ${file} have the same id. Nothing was created.`,
      );
    }
    numbers.set(entity.id, number);
  }
  return [...numbers.keys()];
}

const resourceOf = (name: CollectionName) =>
  routes.flatMap(({ contract: { resource } }) => resource ?? []).find(({ plural }) => plural === name);

/** Rewrites the references of entities. */
class References {
  readonly #relations: readonly Relation[];
  readonly #ids: ImportedIds;
  readonly #rule: ImportOptions['otherReferences'];

  constructor(name: CollectionName, ids: ImportedIds, rule: ImportOptions['otherReferences']) {
    const kind = resourceOf(name)?.kind;
    this.#relations = kind ? referencesOf(kind) : [];
    this.#ids = ids;
    this.#rule = rule;
  }

  #rewrite(id: string, { field, parent }: Relation, { number }: Line): string[] {
    const known = this.#ids.get(id);
    if (known !== undefined) return [known];
    if (this.#rule === 'keep') return [id];
    if (this.#rule === 'drop') return [];
    throw new CommandFailure(
      `Line ${number}: "${field}" refers to the ${parent} ${id}, which was not imported from this folder. Import it first, or choose --other-references keep or drop.`,
    );
  }

  /** Returns an entity with new references. @throws CommandFailure for a reference to an entity that was not imported. */
  rewritten(line: Line): Readonly<Record<string, unknown>> {
    const { entity } = line;
    const changed = this.#relations.flatMap((relation): [string, unknown][] => {
      const value = entity[relation.field];
      if (Array.isArray(value))
        return [[relation.field, value.flatMap((id) => this.#rewrite(String(id), relation, line))]];
      if (typeof value !== 'string') return [];
      return [[relation.field, this.#rewrite(value, relation, line)[0] ?? null]];
    });
    return { ...entity, ...Object.fromEntries(changed) };
  }
}

/** Returns the body that creates an entity: without what only the service sets. */
const bodyOf = ({
  id: _id,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...fields
}: Readonly<Record<string, unknown>>) => fields;

/** Returns the position of the operation for which a batch is refused; `undefined` when the service names none. */
function positionOf({ problem }: ProblemError): number | undefined {
  const [issue] = ('errors' in problem && problem.errors) || [];
  const position = /^\/operations\/(\d+)/.exec(issue?.pointer ?? '')?.[1];
  return position === undefined ? undefined : Number(position);
}

/** Returns an error of a batch with the line that it is about. */
function withLine(error: unknown, batch: readonly Line[]): unknown {
  if (!(error instanceof CommandFailure && error.cause instanceof ProblemError)) return error;
  const position = positionOf(error.cause);
  const line = batch[position ?? 0]?.number;
  const where = position === undefined ? `The batch that begins with line ${line}` : `Line ${line}`;
  return new CommandFailure(
    `${where} is refused: ${error.cause.message} What was created before stays; correct the file and repeat the command.`,
    { cause: error },
  );
}

/**
 * Creates the entities of a file that were not created yet.
 * @throws CommandFailure that names the line. What was created before stays.
 */
export async function importCollection(options: ImportOptions, progress: Progress): Promise<ImportResult> {
  const { collection: name, url, token, input, otherReferences, concurrency } = options;
  if (!existsSync(input)) throw new CommandFailure(`There is no file ${input}.`);
  const entities = await readIds(input);
  const path = join(dirname(input), importedIdsFile);
  const ids = new ImportedIds(path, url);
  const references = new References(name, ids, otherReferences);
  const client = createClient({ url, token, tries: maxAttempts });
  let created = 0;
  /** Creates the entities of a batch, except those that exist. */
  const create = async (batch: readonly Line[]): Promise<void> => {
    if (batch.length === 0) return;
    const bodies = batch.map((line) => bodyOf(references.rewritten(line)));
    const given = batch.map(({ entity }) => ids.given(entity.id));
    try {
      await createAll(client, name, bodies, given);
      created += batch.length;
    } catch (error) {
      const { cause } = error as Error;
      // An earlier run has created this entity, and lost the response. The service creates all entities of a batch, or none.
      const existing = isProblem(cause, 'version-mismatch') ? positionOf(cause) : undefined;
      if (existing === undefined) throw withLine(error, batch);
      await create(batch.toSpliced(existing, 1));
    }
  };
  let failure: unknown;
  progress.begin(name, entities.length);
  try {
    ids.give(entities);
    const missing = new Set(entities.filter((id) => ids.get(id) === undefined));
    progress.step(entities.length - missing.size);
    await forEach(readBatches(input, missing), concurrency, async (batch) => {
      // The batches in progress end before the failure is reported, so that the file has what they create.
      if (failure !== undefined) return;
      try {
        await create(batch);
        ids.add(batch.map(({ entity }) => entity.id));
        progress.step(batch.length);
      } catch (error) {
        failure ??= error;
      }
    });
    if (failure !== undefined) throw failure;
  } finally {
    progress.end();
    ids.close();
  }
  return { created, known: entities.length - created, ids: path };
}
