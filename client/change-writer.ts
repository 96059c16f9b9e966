import type { Collection } from './collection.ts';
import { differences, type Fields, isEmpty, isIdentical, isStoredAs, sentFields } from './fields.ts';
import { isTooEarly, newId, randomPart, replaceId, withReplacedIds } from './ids.ts';
import { isProblem, ProblemError } from './problems.ts';
import type { ChangesPage, ResourceTypes } from './query.ts';
import type { Versioned } from './versions.ts';

interface State {
  readonly id: string;
  /** Whether the entity is deleted in this state: the same as no state. Libraries mark deletions so. */
  readonly _deleted?: boolean | undefined;
}

/** A change that the app has made in its copy. A creation has no state before it, and a deletion none after it. */
export interface LocalChange<Types extends ResourceTypes> {
  /**
   * The entity before the change, with the `version` of the copy. Without its fields, any other version is a conflict. Without `version`, it has not
   * come from the service yet: it is created, or deleted whatever its version is.
   */
  readonly before?:
    | (Partial<Types['entity']> & State & { readonly version?: string | null | undefined })
    | undefined;
  /**
   * The entity after the change. A field that it does not have keeps its value: `null` clears one. A creation needs the `id`, for example from
   * `newId`, and has no `version`.
   */
  readonly after?: (Types['changes'] & State) | undefined;
}

/** What became of a change. */
export interface PushResult<Types extends ResourceTypes> {
  /** The id that the change has. If it was made again, `current` has the new one. */
  readonly id: string;
  /** The whole entity as the change would leave it, or leave no more. */
  readonly entity: LocalChange<Types>['before'];
  /** Whether the change deletes the entity. */
  readonly isDeletion: boolean;
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

/**
 * Stores in the copy that an entity has another id, with what refers to it. The service does not have the entity. Returns the id to use, if the
 * copy has an entity that was stored so before: its id ends alike.
 */
export type RenewId = (id: string, renewed: string) => Promise<string | undefined>;

/** What became of a plan: a result without what the change itself has. */
type Outcome<Types extends ResourceTypes> = Omit<PushResult<Types>, 'id' | 'entity' | 'isDeletion'>;

/** What a change needs of the service. */
interface Plan {
  readonly id: string;
  /** The fields of a creation, and those that an update changes; `undefined` for a deletion. */
  readonly wanted: Fields | undefined;
  /** Whether the copy does not have the entity from the service. */
  readonly isNew: boolean;
  /** The whole entity after the change, for a creation. */
  readonly entity: Fields;
  /** The states in which the service can have the entity, if nobody else has changed it. */
  readonly states: readonly Fields[];
  /** The fields that nobody else may have changed. */
  readonly touched: readonly string[];
  /** The version that the write requires. Without one, the service may not have the entity yet: it is created. */
  readonly version: string | undefined;
}

/** Returns whether nobody else has changed what a change touches. */
const isInState = (entity: object, states: readonly Fields[], touched: readonly string[]): boolean =>
  touched.length > 0 &&
  states.some((state) =>
    touched.every(
      (field) => state[field] !== undefined && isStoredAs(state[field], (entity as Fields)[field]),
    ),
  );

const isConflict = (error: ProblemError): boolean =>
  isProblem(error, 'version-mismatch') || isProblem(error, 'not-found');

/** Returns whether a creation was refused because the clock was ahead when its id was made. */
const refusesTime = (error: ProblemError, { id, wanted, version }: Plan): boolean =>
  wanted !== undefined &&
  version === undefined &&
  isProblem(error, 'invalid-request') &&
  error.problem.errors.some(({ parameter }) => parameter === 'id') &&
  isTooEarly(id);

/** Returns what to do with a change of an entity that has another version than expected. */
function afterConflict(found: object, { wanted, states, touched }: Plan): 'done' | 'repeat' | 'give up' {
  // An earlier call has done it, and its response was lost.
  if (wanted && isEmpty(differences(wanted, found, isStoredAs))) return 'done';
  return isInState(found, states, touched) ? 'repeat' : 'give up';
}

/** Problems that a repetition does not change. Others throw: without a response or with another token, the change can be sent later. */
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
  /** The values that this object has written, with the version that this has made, by id, until a page has it. */
  readonly #written = new Map<string, Fields>();
  /** Values that were sent without a response, by id. */
  readonly #attempted = new Map<string, readonly Fields[]>();
  /** Entities that were created here and do not match the filters, with the cursor of the last page that removes them. */
  readonly #unlisted = new Map<string, string | undefined>();

  constructor(collection: Collection<Types>, filters: Types['filters']) {
    this.#collection = collection;
    this.#filters = filters;
  }

  /**
   * Writes a change.
   * @throws ProblemError or ConnectionError of a change that can be sent later.
   * @throws TypeError for an entity that is new in the copy and has a version.
   */
  async write(change: LocalChange<Types>, renewId?: RenewId): Promise<PushResult<Types>> {
    const entity = { ...change.before, ...change.after } as NonNullable<typeof change.before>;
    // It can have been made before an id was made again.
    const before = change.before && withReplacedIds(change.before);
    const after = change.after && withReplacedIds(change.after);
    const isDeletion = !after || after._deleted === true;
    return { id: entity.id, entity, isDeletion, ...(await this.#write({ before, after }, renewId)) };
  }

  async #write(change: LocalChange<Types>, renewId: RenewId | undefined): Promise<Outcome<Types>> {
    const id = change.before?.id ?? change.after?.id ?? '';
    // It would be created, or deleted in the list that it is from.
    if (!change.before && (change.after as Partial<Fields> | undefined)?.['version'] !== undefined) {
      const rule = 'A copy belongs to one list, and a new entity has no version.';
      throw new TypeError(`The entity ${id} is new in the copy, but has a version. ${rule}`);
    }
    const before = change.before?._deleted ? undefined : change.before;
    const after = change.after?._deleted ? undefined : change.after;
    // What was created and deleted before it was sent can be on the service, if a response was lost.
    if (!change.before && !after && id !== '')
      return this.#execute(this.#plan(id, { before: { id } }), renewId);
    // The copy has it from the service.
    if (before ? after && isEmpty(differences(after, before, isIdentical)) : !after)
      return { current: before as Outcome<Types>['current'], error: undefined, isUnchanged: false };
    const plan = this.#plan(id, { before, after });
    if (!plan.wanted || !isEmpty(plan.wanted)) return this.#execute(plan, renewId);
    // Nothing is sent, but the copy may have dropped a page because of the change.
    const current = await this.#listed(await this.#find(id));
    return { current, error: undefined, isUnchanged: current?.version !== before?.version };
  }

  /**
   * Returns a page as the copy gets it: it also removes what no page has.
   * @param since the cursor of the copy: it has stored the page of this cursor.
   */
  pageOfCopy<Page extends ChangesPage<Types['entity']>>(since: string | undefined, page: Page): Page {
    for (const [id, cursor] of this.#unlisted)
      if (cursor !== undefined && cursor === since) this.#unlisted.delete(id);
    for (const { id } of page.data)
      for (const known of [this.#written, this.#attempted, this.#unlisted]) known.delete(id);
    for (const id of this.#unlisted.keys()) this.#unlisted.set(id, page.cursor);
    return { ...page, removed: [...page.removed, ...this.#unlisted.keys()] };
  }

  #plan(id: string, { before, after }: LocalChange<Types>): Plan {
    const wanted = after && sentFields(differences(after, before ?? {}, isIdentical));
    const written = this.#written.get(id);
    const state = { ...written, ...before };
    const attempted = this.#attempted.get(id) ?? [];
    const states = [state, ...attempted.map((values) => ({ ...state, ...values }))];
    const touched = Object.keys(wanted ?? sentFields(before ?? {}));
    // The copy may not have read its own last write.
    const isOwn = written && isInState(written, [state], touched);
    const version = ((isOwn ? written['version'] : before?.version) ?? undefined) as string | undefined;
    // A library can have a state without a version, and without fields, before a creation.
    const isNew = version === undefined || (!before?.version && isEmpty(sentFields(before ?? {})));
    return { id, wanted, isNew, entity: sentFields({ ...before, ...after }), states, touched, version };
  }

  async #execute(plan: Plan, renewId: RenewId | undefined, attempt = 1): Promise<Outcome<Types>> {
    const { id, wanted } = plan;
    const { written, error } = await this.#send(plan);
    if (!error)
      return { current: await this.#currentOf(plan, written, attempt > 1), error, isUnchanged: false };
    if (renewId && refusesTime(error, plan) && attempt < maxAttempts) {
      // The service has looked for the entity, so no earlier attempt was applied.
      const renewed = newId().slice(0, -randomPart(id).length) + randomPart(id);
      const stored = (await renewId(id, renewed)) ?? renewed;
      replaceId(id, stored);
      return this.#execute({ ...plan, id: stored }, renewId, attempt + 1);
    }
    const found = await this.#find(id);
    if (!found && !wanted) return { current: undefined, error: undefined, isUnchanged: false };
    const next = found && isConflict(error) ? afterConflict(found, plan) : 'give up';
    if (next === 'repeat' && attempt < maxAttempts)
      return this.#execute({ ...plan, version: found?.version }, renewId, attempt + 1);
    if (next !== 'done') return { current: await this.#listed(found), error, isUnchanged: true };
    this.#confirm(id, { ...wanted, version: found?.version });
    return { current: await this.#currentOf(plan, found, true), error: undefined, isUnchanged: true };
  }

  /** Returns an entity that has been written, if it matches the filters. @param isOfOthers whether somebody else has changed it too. */
  async #currentOf(
    { id, wanted, isNew, touched }: Plan,
    written: Versioned<Types['entity']> | undefined,
    isOfOthers: boolean,
  ) {
    const isCreated = wanted !== undefined && isNew;
    const isFiltered = touched.some((field) => field in this.#filters);
    const current = isCreated || isFiltered || isOfOthers ? await this.#listed(written) : written;
    if (isCreated && !current) this.#unlisted.set(id, undefined);
    return current;
  }

  /** Sends what a plan says. Returns the entity, if there is one, or why the service refuses it. */
  async #send({
    id,
    wanted,
    entity,
    version,
  }: Plan): Promise<{ written?: Versioned<Types['entity']>; error?: ProblemError }> {
    const attempted = this.#attempted.get(id) ?? [];
    try {
      if (!wanted) {
        await this.#collection.delete(version === undefined ? id : { id, version });
        this.#written.delete(id);
        this.#attempted.delete(id);
        return {};
      }
      const values = version === undefined ? entity : wanted;
      this.#attempted.set(id, [...attempted, values]);
      const written = await (version === undefined
        ? this.#collection.create({ ...entity, id })
        : this.#collection.update({ id, version }, wanted));
      this.#confirm(id, version === undefined ? written : { ...wanted, version: written.version });
      return { written };
    } catch (error) {
      if (!(error instanceof ProblemError) || !refusals.has(error.problem.code)) throw error;
      this.#attempted.set(id, attempted);
      return { error };
    }
  }

  #confirm(id: string, values: object): void {
    this.#written.set(id, { ...this.#written.get(id), ...values });
    this.#attempted.delete(id);
  }

  async #find(id: string): Promise<Versioned<Types['entity']> | undefined> {
    try {
      return await this.#collection.get(id);
    } catch (error) {
      if (isProblem(error, 'not-found')) return undefined;
      throw error;
    }
  }

  /** Returns an entity if it matches the filters. */
  async #listed(
    entity: Versioned<Types['entity']> | undefined,
  ): Promise<Versioned<Types['entity']> | undefined> {
    if (!entity || isEmpty(this.#filters)) return entity;
    const [listed] = (await this.#collection.list({ ...this.#filters, id: entity.id })).data;
    return listed;
  }
}
