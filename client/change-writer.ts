import type { Collection } from './collection.ts';
import { isProblem, ProblemError } from './problems.ts';
import type { ResourceTypes } from './query.ts';
import type { Versioned } from './versions.ts';

interface State {
  readonly id: string;
  /** Whether the entity is deleted in this state: the same as no state. Libraries mark deletions so. */
  readonly _deleted?: boolean | undefined;
}

/** A change that the app has made in its copy. A creation has no state before it, and a deletion none after it. */
export interface LocalChange<Types extends ResourceTypes> {
  /**
   * The entity before the change, with the `version` of the copy. Without its fields, any change of somebody else is a conflict. A deletion
   * without `version` is unconditional.
   */
  readonly before?:
    | (Partial<Types['entity']> & State & { readonly version?: string | undefined })
    | undefined;
  /** The entity after the change. A creation needs the `id`, for example from `newId`, and has no `version`. */
  readonly after?: (Types['changes'] & State) | undefined;
}

/** What became of a change. */
export interface PushResult<Types extends ResourceTypes> {
  readonly id: string;
  /** The entity of the service; `undefined` if it does not exist or does not match the filters. */
  readonly current: Versioned<Types['entity']> | undefined;
  /**
   * Why the service has not applied the change. `version-mismatch` and `not-found`: somebody else was faster. Other codes: it will never accept
   * the change, for example with an invalid field.
   */
  readonly error: ProblemError | undefined;
  /** Whether the push has changed nothing on the service. Perhaps no page brings `current`, so the copy has to take it from here. */
  readonly isUnchanged: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a field of a copy is one of the service that a write sends. Those of libraries begin with `_` or `$`. */
const isSent = (field: string): boolean =>
  !['id', 'version', 'createdAt', 'updatedAt'].includes(field) && !/^[_$]/.test(field);

const sentFields = (entity: object): Fields =>
  Object.fromEntries(Object.entries(entity).filter(([field]) => isSent(field)));

/** Returns whether two values are the same to the service, which trims texts. */
function isEqual(left: unknown, right: unknown): boolean {
  const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
  return JSON.stringify(trimmed(left)) === JSON.stringify(trimmed(right));
}

/** Returns the fields of an entity that have another value in another state of it. */
const differences = (entity: object, other: object): Fields =>
  Object.fromEntries(
    Object.entries(entity).filter(
      ([field, value]) => value !== undefined && !isEqual(value, (other as Fields)[field]),
    ),
  );

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** What a change needs of the service. */
interface Plan {
  readonly id: string;
  /** The fields of a creation, and those that an update changes; `undefined` for a deletion. */
  readonly wanted: Fields | undefined;
  /** The whole entity after the change, for a creation. */
  readonly entity: Fields;
  /** What the copy knows of the entity before the change. */
  readonly base: Fields;
  /** The fields that nobody else may have changed. */
  readonly touched: readonly string[];
  /** The version that the write requires. Without one, the service may not have the entity yet: it is created. */
  readonly version: string | undefined;
}

/** Returns whether nobody else has changed what a change touches. */
const isAsBefore = (entity: object, { base, touched }: Pick<Plan, 'base' | 'touched'>): boolean =>
  touched.length > 0 &&
  touched.every((field) => base[field] !== undefined && isEqual(base[field], (entity as Fields)[field]));

const isConflict = (error: ProblemError): boolean =>
  isProblem(error, 'version-mismatch') || isProblem(error, 'not-found');

/** Returns what to do with a change of an entity that has another version than expected. */
function afterConflict(found: object, plan: Plan): 'done' | 'repeat' | 'give up' {
  // An earlier call has done it, and its response was lost.
  if (plan.wanted && isEmpty(differences(plan.wanted, found))) return 'done';
  return isAsBefore(found, plan) ? 'repeat' : 'give up';
}

/** Problems that a repetition does not change. Others throw: without a response or a token, the change can be sent later. */
const refusals: ReadonlySet<string> = new Set([
  'version-mismatch',
  'not-found',
  'invalid-request',
  'missing-scope',
  'reference-missing',
  'subject-taken',
  'body-too-large',
]);

/** Attempts of one change, while others change the same entity. */
const maxAttempts = 10;

/** Writes changes of a copy, and finds out whether somebody else was faster. */
export class ChangeWriter<Types extends ResourceTypes> {
  readonly #collection: Collection<Types>;
  readonly #filters: Types['filters'];
  /** What was written last, by id, until a page has it: the copy may not know the version. A creation without a response has none. */
  readonly #written = new Map<string, Fields>();
  /** Entities that were created here and do not match the filters. */
  readonly #unlisted = new Set<string>();

  constructor(collection: Collection<Types>, filters: Types['filters']) {
    this.#collection = collection;
    this.#filters = filters;
  }

  /**
   * Writes a change.
   * @throws ProblemError or ConnectionError of a change that can be sent later.
   * @throws TypeError for an entity that is new in the copy and has a version.
   */
  async write(change: LocalChange<Types>): Promise<PushResult<Types>> {
    const id = change.before?.id ?? change.after?.id ?? '';
    // It would be created, or deleted in the list that it is from.
    if (!change.before && (change.after as Partial<Fields> | undefined)?.['version'] !== undefined) {
      const rule = 'A copy belongs to one list, and a new entity has no version.';
      throw new TypeError(`The entity ${id} is new in the copy, but has a version. ${rule}`);
    }
    const before = change.before?._deleted ? undefined : change.before;
    const after = change.after?._deleted ? undefined : change.after;
    // What was created and deleted before it was sent can be on the service, if a response was lost.
    if (!change.before && !after && id !== '') return this.#execute(this.#plan(id, { before: { id } }));
    // The copy has it from the service.
    if (before ? after && isEmpty(differences(after, before)) : !after)
      return { id, current: before as PushResult<Types>['current'], error: undefined, isUnchanged: false };
    const plan = this.#plan(id, { before, after });
    if (!plan.wanted || !isEmpty(plan.wanted)) return this.#execute(plan);
    // Nothing is sent, but the copy may have dropped a page because of the change.
    return { id, current: await this.#listed(await this.#find(id)), error: undefined, isUnchanged: true };
  }

  /** Takes notice of a page that the copy gets. Returns the ids that the copy must remove besides: no page has them. */
  acceptPage(ids: readonly string[]): readonly string[] {
    for (const id of ids) this.#written.delete(id);
    const removed = [...this.#unlisted].filter((id) => !ids.includes(id));
    this.#unlisted.clear();
    return removed;
  }

  #plan(id: string, { before, after }: LocalChange<Types>): Plan {
    const wanted = after && sentFields(differences(after, before ?? {}));
    const written = this.#written.get(id);
    const base = { ...written, ...before };
    const touched = Object.keys(wanted ?? sentFields(before ?? {}));
    // The copy may not have read its own last write.
    const isOwn = written?.['version'] !== undefined && isAsBefore(written, { base, touched });
    const version = (isOwn ? written['version'] : before?.version) as string | undefined;
    return { id, wanted, entity: sentFields({ ...before, ...after }), base, touched, version };
  }

  async #execute(plan: Plan, attempt = 1): Promise<PushResult<Types>> {
    const { id, wanted } = plan;
    const { written, error } = await this.#send(plan);
    if (!error) return { id, current: await this.#listed(written, plan), error, isUnchanged: false };
    const found = await this.#find(id);
    if (!found && !wanted) return { id, current: undefined, error: undefined, isUnchanged: false };
    const next = found && isConflict(error) ? afterConflict(found, plan) : 'give up';
    if (next === 'repeat' && attempt < maxAttempts)
      return this.#execute({ ...plan, version: found?.version }, attempt + 1);
    if (next === 'done') this.#written.set(id, { ...found });
    const current = await this.#listed(found);
    return { id, current, error: next === 'done' ? undefined : error, isUnchanged: true };
  }

  /** Sends what a plan says. Returns the entity, if there is one, or why the service refuses it. */
  async #send({
    id,
    wanted,
    entity,
    version,
  }: Plan): Promise<{ written?: Versioned<Types['entity']>; error?: ProblemError }> {
    try {
      if (!wanted) {
        await this.#collection.delete(version === undefined ? id : { id, version });
        this.#written.delete(id);
        return {};
      }
      if (version === undefined) this.#written.set(id, entity);
      const written = await (version === undefined
        ? this.#collection.create({ ...entity, id })
        : this.#collection.update({ id, version }, wanted));
      this.#written.set(id, { ...written });
      return { written };
    } catch (error) {
      if (error instanceof ProblemError && refusals.has(error.problem.code)) return { error };
      throw error;
    }
  }

  async #find(id: string): Promise<Versioned<Types['entity']> | undefined> {
    try {
      return await this.#collection.get(id);
    } catch (error) {
      if (isProblem(error, 'not-found')) return undefined;
      throw error;
    }
  }

  /**
   * Returns an entity if it matches the filters.
   * @param plan what has been written. An update of other fields than those of the filters leaves the entity in the list.
   */
  async #listed(
    entity: Versioned<Types['entity']> | undefined,
    plan?: Plan,
  ): Promise<Versioned<Types['entity']> | undefined> {
    const fields = Object.keys(this.#filters);
    const isCreated = plan !== undefined && plan.version === undefined;
    const canHaveLeft = !plan || isCreated || fields.some((field) => plan.touched.includes(field));
    if (!entity || fields.length === 0 || !canHaveLeft) return entity;
    const { id } = entity;
    const [listed] = (await this.#collection.list({ ...this.#filters, id })).data;
    if (isCreated && !listed) this.#unlisted.add(id);
    return listed;
  }
}
