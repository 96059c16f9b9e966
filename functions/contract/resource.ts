import * as v from 'valibot';
import { restoresField } from '../engine/model/deletion.ts';
import {
  type Entity,
  type Fields,
  type ItemFields,
  numberField,
  readOnlyFields,
} from '../engine/model/entity.ts';
import type { AccessRule, Check, Relation } from '../engine/model/schema.ts';
import { lazy } from '../runtime/lazy.ts';
import { label, longTextField, nullable, number, status, withDefault } from './fields.ts';
import {
  deletedListFields,
  type ListField,
  referenceIn,
  toListField,
  withoutDefault,
} from './list-fields.ts';

const maxLabelLength = 255;

export const commonFields = {
  name: label(maxLabelLength),
  status: withDefault(status(), 'active'),
};

type FieldSchemas = typeof commonFields & v.ObjectEntries;

/** A reference that a response can expand: it then has the entity beside the reference. */
export interface Expansion {
  /** The field that the response gains: `project` for `projectId`, and `tags` for `tagIds`. */
  readonly name: string;
  readonly field: string;
  readonly isArray: boolean;
  readonly target: Resource;
  /** What the response shows of the entity: all but the description. A page can have hundreds of long ones. */
  readonly shown: ReadonlySet<string>;
}

interface Definition<Name extends string> {
  /** The name of one entity. */
  readonly kind: Name;
  /** The path segment of the collection. */
  readonly plural: string;
  readonly fields: FieldSchemas;
  /** The field whose values are unique in a tenant. */
  readonly unique?: string;
  /** Whether the service gives each entity a number: 1, 2, 3 … in its tenant, in the field `number`. */
  readonly numbered?: boolean;
  /** What must hold for the fields of an entity together. */
  readonly check?: Check;
  /** Who sees its entities; by default all of a tenant. */
  readonly access?: AccessRule;
}

/** The field that a resource with numbers has after its own. Entities that are older than the numbers have null. */
const numberFields = {
  [numberField]: nullable(number({ min: 1, max: Number.MAX_SAFE_INTEGER, decimals: 0 })),
};

export interface Resource<Name extends string = string> extends Definition<Name> {
  readonly relations: readonly Relation[];
  /** All fields in the order in which responses show them. */
  readonly fieldNames: readonly string[];
  readonly listFields: Readonly<Record<string, ListField>>;
  readonly expansions: Readonly<Record<string, Expansion>>;
  /** By field: the values of an enumeration in the order of their rank. */
  readonly ranks: Readonly<Record<string, readonly string[]>>;
  /** By field: its default. An entity that is older than the field has this value. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The fields that decide who sees what: a body that does not name one leaves it as it is. */
  readonly keptFields: readonly string[];
  /**
   * Returns what responses show of an entity: the fields in their order, and nothing else that the store has. An entity older than
   * a field has the field's default. Lists call this for every entity, so it does not validate again what was validated when it
   * was written.
   * @param fields shows only these.
   */
  show(entity: ItemFields, fields?: ReadonlySet<string>): Readonly<Record<string, unknown>>;
  /** Schemas are built on first use: a function needs one or two of them. */
  readonly schemas: {
    /** A whole entity: fields that are left out get their defaults, but for kept ones. */
    readonly whole: () => v.GenericSchema<unknown, Fields>;
    /** Some fields: fields that are left out keep their values. */
    readonly part: () => v.GenericSchema<unknown, Record<string, unknown>>;
    readonly entity: () => v.GenericSchema<unknown, Entity>;
  };
}

function expansionOf(name: string, schema: v.GenericSchema, { type }: ListField): [string, Expansion][] {
  const target = referenceIn(schema)?.target() as Resource | undefined;
  if (!target) return [];
  const isArray = type === 'list of references';
  const expanded = isArray ? name.replace(/Ids$/, 's') : name.replace(/Id$/, '');
  const shown = new Set(target.fieldNames.filter((field) => field !== longTextField));
  return [[expanded, { name: expanded, field: name, isArray, target, shown }]];
}

/** @throws TypeError when entities would be seen by all after the deletion of that through which they are seen. */
function keptFieldsOf({ kind, access, unique, fields }: Definition<string>): string[] {
  const ofUnique = unique === undefined ? [] : [unique];
  if (!access) return ofUnique;
  if ('members' in access) return [...Object.keys(access.when), access.members, ...ofUnique];
  const reference = referenceIn(fields[access.through] as v.GenericSchema);
  if (reference?.options.onDelete !== 'cascade')
    throw new TypeError(`"${access.through}" of ${kind} must be deleted with what it refers to.`);
  return [access.through, ...ofUnique];
}

const time = () => v.pipe(v.string(), v.metadata({ format: 'date-time', maxLength: 24 }));

function relationOf(
  child: string,
  { name, type, isNullable }: ListField,
  schema: v.GenericSchema,
): Relation[] {
  const reference = referenceIn(schema);
  if (!reference) return [];
  const isArray = type === 'list of references';
  const parent = (reference.target() as Resource).kind;
  const isRequired = !isArray && !isNullable;
  return [{ child, field: name, parent, onDelete: 'setNull', isArray, isRequired, ...reference.options }];
}

/** Returns a function that shows fields of entities. @param defaults the names of all fields in their order, and their defaults. */
const showing =
  (defaults: readonly (readonly [name: string, fallback: unknown])[]): Resource['show'] =>
  (entity, only) => {
    const shown: Record<string, unknown> = {};
    for (const [name, fallback] of defaults) {
      if (!only || only.has(name)) shown[name] = entity[name] ?? fallback;
    }
    return shown;
  };

export function resource<const Name extends string>(definition: Definition<Name>): Resource<Name> {
  const { fields, kind, numbered } = definition;
  if (numberField in fields)
    throw new TypeError(
      `No field can be called "${numberField}": the service gives it to a resource that is numbered.`,
    );
  const shown: FieldSchemas = { ...fields, ...(numbered && numberFields) };
  const fieldNames = ['id', ...Object.keys(shown), 'createdAt', 'updatedAt'];
  const defaults = fieldNames.map((name) => {
    const field = shown[name];
    return [name, field && v.getDefault(field as v.GenericSchema)] as const;
  });
  const listFields = Object.fromEntries(
    fieldNames.map((name) => [name, toListField(name, shown[name] as v.GenericSchema | undefined)]),
  );
  const schemaOf = Object.entries(fields) as [string, v.GenericSchema][];
  // A resource that refers to itself does not exist yet.
  const relations = lazy(() =>
    schemaOf.flatMap(([name, schema]) => relationOf(kind, listFields[name] as ListField, schema)),
  );
  const expansions = lazy(() =>
    Object.fromEntries(
      schemaOf.flatMap(([name, schema]) => expansionOf(name, schema, listFields[name] as ListField)),
    ),
  );
  const keptFields = keptFieldsOf(definition);
  return {
    ...definition,
    keptFields,
    get relations() {
      return relations();
    },
    fieldNames,
    listFields,
    get expansions() {
      return expansions();
    },
    ranks: Object.fromEntries(
      Object.values(listFields).flatMap(({ name, type, values }) =>
        type === 'enumeration' ? [[name, values] as const] : [],
      ),
    ),
    defaults: Object.fromEntries(defaults),
    show: showing(defaults),
    schemas: {
      whole: lazy(() => {
        const named = schemaOf.map(([name, schema]) => {
          const bare = withoutDefault(schema);
          return [name, keptFields.includes(name) && bare !== schema ? v.optional(bare) : schema];
        });
        return v.object(Object.fromEntries(named)) as unknown as v.GenericSchema<unknown, Fields>;
      }),
      part: lazy(() => {
        const optional = schemaOf.map(([name, schema]) => [name, v.optional(withoutDefault(schema))]);
        return v.object(Object.fromEntries(optional)) as v.GenericSchema<unknown, Record<string, unknown>>;
      }),
      entity: lazy(
        () =>
          v.object({
            id: v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 255 })),
            // With their defaults: an entity may be older than a field.
            ...shown,
            createdAt: time(),
            updatedAt: time(),
          }) as unknown as v.GenericSchema<unknown, Entity>,
      ),
    },
  };
}

/**
 * Returns the fields of a new entity: kept ones that the body does not name get their defaults. That through which it is seen is left to the engine, which knows
 * the parent.
 */
export function newFields({ keptFields, defaults, access }: Resource, body: Fields): Fields {
  const through = access && 'through' in access ? access.through : undefined;
  const kept = keptFields.filter((name) => name !== through && body[name] === undefined);
  return { ...body, ...Object.fromEntries(kept.map((name) => [name, defaults[name]])) };
}

/** Returns a resource as lists of its deleted entities show it: with the fields of deletions. */
export function deletedOf(resource: Resource): Resource {
  const fieldNames = [...resource.fieldNames, ...Object.keys(deletedListFields), restoresField];
  return {
    ...resource,
    fieldNames,
    listFields: { ...resource.listFields, ...deletedListFields },
    show: showing(fieldNames.map((name) => [name, resource.defaults[name] ?? null] as const)),
  };
}

export const readOnlyFieldsOf = ({ numbered }: Pick<Resource, 'numbered'>): readonly string[] =>
  numbered ? [...readOnlyFields, numberField] : readOnlyFields;

/**
 * Returns the fields of a resource's bodies: those that the caller sets, and those that are accepted and ignored, so that a client can send
 * back what it has read, with expanded entities too. The TypeScript client adds `version`, the entity tag.
 */
export const bodyFields = (resource: Resource) => ({
  writable: Object.keys(resource.fields),
  ignored: [...readOnlyFieldsOf(resource), 'version', ...Object.keys(resource.expansions)],
});
