/**
 * What the engine knows of the entities that it stores: a value, which an application derives from its resources. A process has one, as it has one
 * clock: items, records and rows are encoded by it, far below where it is known.
 */
/** The name of a kind of entities, in the singular. */
export type Kind = string;

export interface Relation {
  readonly child: Kind;
  /** The field that holds the reference: one id or null, or an array of ids. */
  readonly field: string;
  readonly parent: Kind;
  /** What a deletion of the parent does: deletes the child, or removes the reference from it. */
  readonly onDelete: 'cascade' | 'setNull';
  readonly isArray?: boolean;
  /** Whether the child cannot be without it. */
  readonly isRequired?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the field of a changed entity that contradicts another one, and a sentence that says how; `undefined` when none does. */
export type Check = (
  after: Fields,
  before: Fields | undefined,
) => { readonly field: string; readonly message: string } | undefined;

/** Of entities for which this holds, only the users see them whose ids a field has. */
export interface MembersRule {
  /** The array of references to users. */
  readonly members: string;
  /** The values of fields of such an entity. */
  readonly when: Readonly<Record<string, string>>;
}

/** Who sees an entity: some users, or those who see the entity to which a field refers. Null is seen by all. */
export type AccessRule = MembersRule | { readonly through: string };

export interface Schema {
  /** A write checks that the entities it refers to exist; a deletion finds the entities that refer to the deleted one. */
  readonly relations: readonly Relation[];
  /** The field whose texts can be long. They are items of their own, and lists sort by their beginning. */
  readonly longText: string;
  readonly searchedFields: readonly string[];
  /** By kind: the field whose values are unique in a tenant. */
  readonly uniqueFields: Readonly<Record<Kind, string>>;
  /** The kinds whose entities get numbers: 1, 2, 3 … in their tenant, in the field `number`. */
  readonly numbered: readonly Kind[];
  readonly checks: Readonly<Record<Kind, Check>>;
  /** By kind: who sees its entities. All of a tenant see the others. */
  readonly access: Readonly<Record<Kind, AccessRule>>;
  /** What takes one byte in records: at most 15 names of fields, and frequent values. Another order needs another format of records. */
  readonly dictionary: { readonly fields: readonly string[]; readonly values: readonly string[] };
}

/** What differs between deployments. Each is read when it is needed. */
export interface Settings {
  /** Days for which records of changes are kept; `undefined` for the default. */
  historyDays(): number | undefined;
  /** Entities that the jobs of a tenant change in a second, all together; `undefined` where jobs keep no pace. */
  jobChangesPerSecond(): number | undefined;
  /** Whether only callers who see all say first who sees an entity that has no members. */
  reservesClosing(): boolean;
  /** Bytes of columns that a process keeps, at most; `undefined` for the default. */
  columnBytes(): number | undefined;
  /** Logs what a person should know of, although nothing failed. */
  logWarning(message: string, fields: object): void;
}

let current: { readonly schema: Schema; readonly settings: Settings } | undefined;

export function configure(schema: Schema, settings: Settings): void {
  current = { schema, settings };
}

function requireCurrent(): NonNullable<typeof current> {
  if (!current) throw new TypeError('The engine has no schema yet: call "configure" first.');
  return current;
}

/** @throws TypeError before `configure`. */
export const schemaInUse = (): Schema => requireCurrent().schema;

export const settingsInUse = (): Settings => requireCurrent().settings;
