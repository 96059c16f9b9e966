import { createReadStream, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, isProblem, ProblemError } from '../../client/index.ts';
import { maxOperations } from '../../functions/contract/contract.ts';
import { guardOf } from '../../functions/engine/model/access.ts';
import { referencesOf, treeOf } from '../../functions/engine/model/relations.ts';
import type { Kind, Relation } from '../../functions/engine/model/schema.ts';
import { maxBodyBytes } from '../../functions/http/json-body.ts';
import { forEach } from '../../functions/runtime/for-each.ts';
import { resources } from '../../functions/schema.ts';
import { type CollectionName, createAll, maxAttempts, toFailure } from '../command-line/collections.ts';
import { CommandFailure } from '../command-line/command-line.ts';
import type { Progress } from '../command-line/progress.ts';
import { ImportedIds, importedIdsFile } from './imported-ids.ts';

interface ImportOptions {
  readonly collection: CollectionName;
  readonly url: string;
  readonly token?: string | undefined;
  readonly input: string;
  /** What to do with a reference to an entity that was not imported. */
  readonly otherReferences: 'fail' | 'keep' | 'drop';
  /** Whether it is dropped also if it decides who sees its entity. */
  readonly openTasks?: boolean | undefined;
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

/** The number of each line, and the entity above that of the line in a tree, by the id of the entity. */
type Lines = ReadonlyMap<string, { readonly number: number; readonly parent: unknown }>;

/** Checks all lines before anything is created. */
async function checkLines(file: string, kind: Kind): Promise<Lines> {
  const lines = new Map<string, { number: number; parent: unknown }>();
  for await (const { entity, number } of readLines(file)) {
    const other = lines.get(entity.id);
    if (other !== undefined) {
      throw new CommandFailure(
        `Lines ${other.number} and ${number} of ${file} have the same id. Nothing was created.`,
      );
    }
    lines.set(entity.id, { number, parent: entity[treeOf(kind)?.field ?? ''] });
  }
  return lines;
}

/** Divides entities into levels: a parent is created before what is below it. */
function levelsOf(lines: Lines, entities: readonly string[]): ReadonlySet<string>[] {
  const levels: Set<string>[] = [];
  for (let rest = new Set(entities); rest.size > 0; ) {
    const level = new Set([...rest].filter((id) => !rest.has(lines.get(id)?.parent as string)));
    if (level.size === 0) {
      const [first = ''] = rest;
      throw new CommandFailure(
        `Line ${lines.get(first)?.number} is below itself, or below a line that is. Correct its parent.`,
      );
    }
    levels.push(level);
    rest = new Set([...rest].filter((id) => !level.has(id)));
  }
  return levels;
}

/**
 * Returns the body that creates an entity: with new references, and without what only the service sets.
 * @throws CommandFailure for a reference to an entity that was not imported.
 */
function bodyOf(
  line: Line,
  kind: Kind,
  ids: ImportedIds,
  { otherReferences: rule, openTasks = false }: ImportOptions,
): object {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...fields } = line.entity;
  const keptFields = resources.find((one) => one.kind === kind)?.keptFields ?? [];
  const rewrite = (id: string, { field, parent }: Relation): string[] => {
    const known = ids.get(id);
    if (known !== undefined) return [known];
    if (rule === 'keep') return [id];
    const mayDrop = !keptFields.includes(field) || (openTasks && field === guardOf(kind)?.field);
    if (rule === 'drop' && mayDrop) return [];
    if (rule === 'drop')
      throw new CommandFailure(
        `Line ${line.number}: "${field}" refers to the ${parent} ${id}, which was not imported from this folder. It decides who sees the ${kind}, so it is not dropped. Import it first${field === guardOf(kind)?.field ? ', or choose --open-tasks' : ''}.`,
      );
    throw new CommandFailure(
      `Line ${line.number}: "${field}" refers to the ${parent} ${id}, which was not imported from this folder. Import it first, or choose --other-references keep or drop.`,
    );
  };
  const changed = referencesOf(kind).flatMap((relation): [string, unknown][] => {
    const value = fields[relation.field];
    if (Array.isArray(value)) return [[relation.field, value.flatMap((id) => rewrite(String(id), relation))]];
    return typeof value === 'string' ? [[relation.field, rewrite(value, relation)[0] ?? null]] : [];
  });
  return { ...fields, ...Object.fromEntries(changed) };
}

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
 * @returns the number of these, the number of those that an earlier run has created, and the file with the new ids.
 * @throws CommandFailure that names the line. What was created before stays.
 */
export async function importCollection(options: ImportOptions, progress: Progress) {
  const { collection: name, url, token, input, concurrency } = options;
  if (!statSync(input, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailure(`There is no file ${input}.`);
  const kind = resources.find(({ plural }) => plural === name)?.kind ?? name;
  const lines = await checkLines(input, kind);
  const entities = [...lines.keys()];
  const path = join(dirname(input), importedIdsFile);
  const client = createClient({ url, token, tries: maxAttempts });
  const { tenant } = await client.me().catch((error: unknown) => {
    throw toFailure('The import', error);
  });
  const ids = new ImportedIds(path, url, tenant);
  let created = 0;
  /** Creates the entities of a batch, except those that exist. */
  const create = async (batch: readonly Line[]): Promise<void> => {
    if (batch.length === 0) return;
    const bodies = batch.map((line) => bodyOf(line, kind, ids, options));
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
    const missing = entities.filter((id) => ids.get(id) === undefined);
    const levels = levelsOf(lines, missing);
    ids.give(missing);
    progress.step(entities.length - missing.length);
    for (const level of levels) {
      await forEach(readBatches(input, level), concurrency, async (batch) => {
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
    }
  } finally {
    ids.close();
  }
  return { created, known: entities.length - created, ids: path };
}
