import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { committedFile } from '../lib/openapi/committed-document.ts';
import { resolve } from '../lib/openapi/resolve.ts';
import type {
  Header,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
  Schema,
} from '../lib/openapi/types.ts';

/** A request must accept every value that it accepted before. A response must contain only values that it contained before. */
type Direction = 'sent' | 'received';

/** Returns the values of a keyword. Each integer is a number. */
function valuesOf<Value>(values: Value | readonly Value[] | undefined): (Value | 'integer')[] {
  const all = [values ?? []].flat() as Value[];
  return all.includes('number' as Value) ? [...all, 'integer'] : all;
}

/** In requests, upper bounds may only rise and lower bounds may only fall. In responses, it is the other way round. */
const upperBounds = ['maximum', 'maxLength', 'maxItems'] as const;
const lowerBounds = ['minimum', 'minLength', 'minItems'] as const;

/** Constraints without an order. They may only be removed from requests, and only be added to responses. */
const constraints = ['pattern', 'format', 'uniqueItems', 'const'] as const;

const missing = <Value>(from: readonly Value[], other: readonly Value[]): Value[] =>
  from.filter((value) => !other.includes(value));

const alternativesOf = ({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] => [...anyOf, ...oneOf];

/** Returns whether values have more alternatives. A schema without alternatives has one. */
const hasMoreAlternatives = (from: Schema, other: Schema): boolean =>
  Math.max(1, alternativesOf(from).length) > Math.max(1, alternativesOf(other).length);

/** Returns the values of one list that the other lacks. An empty list allows anything. */
function missingValues(from: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  if (other.length === 0) return [];
  return from.length === 0 ? ['anything else'] : missing(from, other);
}

/**
 * Returns the schema of one value of a parameter. Values separated by commas include a single value, so a parameter that becomes an
 * array still accepts what was sent before.
 */
const valueSchema = ({ schema, explode }: Parameter): Schema =>
  explode === false ? (schema.items ?? {}) : schema;

/** Returns the parameters of an operation by their places and names. */
function parametersOf(
  document: OpenApiDocument,
  { parameters = [] }: Operation,
): ReadonlyMap<string, Parameter> {
  const resolved = parameters.map((parameter) => resolve<Parameter>(document, parameter));
  return new Map(resolved.map((parameter) => [`${parameter.in} ${parameter.name.toLowerCase()}`, parameter]));
}

class Comparison {
  readonly changes: string[] = [];
  readonly #before: OpenApiDocument;
  readonly #after: OpenApiDocument;

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#before = before;
    this.#after = after;
  }

  documents(): void {
    const { paths } = this.#after;
    for (const [path, item] of Object.entries(this.#before.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const place = `${method.toUpperCase()} ${path}`;
        const after = paths[path]?.[method];
        if (after) this.#operations(place, operation, after);
        // Documents of before had an operation for HEAD, which each GET has.
        else if (method !== 'head' || !paths[path]?.['get']) this.#report(place, 'is removed');
      }
    }
  }

  #report(place: string, what: string): void {
    this.changes.push(`${place} ${what}`);
  }

  #operations(place: string, before: Operation, after: Operation): void {
    if (before.operationId !== after.operationId) this.#report(place, `is now named ${after.operationId}`);
    const scopes = (operation: Operation): string[] =>
      operation.security.flatMap((scheme) => Object.values(scheme).flat());
    for (const scope of missing(scopes(after), scopes(before)))
      this.#report(place, `now requires the scope ${scope}`);
    this.#parameters(place, parametersOf(this.#before, before), parametersOf(this.#after, after));
    this.#bodies(place, before, after);
    for (const [status, response] of Object.entries(before.responses)) {
      const now = after.responses[status];
      // A removed error response breaks no client.
      if (!now && Number(status) < 400) this.#report(place, `no longer responds with ${status}`);
      if (now)
        this.#responses(`${place} ${status}`, resolve(this.#before, response), resolve(this.#after, now));
    }
    for (const status of missing(Object.keys(after.responses), Object.keys(before.responses))) {
      // Clients follow a redirect, and 304 is for those that ask for it.
      if (Number(status) < 300) this.#report(place, `can now respond with ${status}`);
    }
  }

  #parameters(
    place: string,
    before: ReadonlyMap<string, Parameter>,
    after: ReadonlyMap<string, Parameter>,
  ): void {
    for (const [name, parameter] of before) {
      const now = after.get(name);
      if (now) this.#parameter(`${place} ${name}`, parameter, now);
      else this.#report(place, `no longer accepts the parameter ${name}`);
    }
    for (const [name, { required }] of after) {
      if (required && !before.get(name)?.required) this.#report(place, `now requires the parameter ${name}`);
    }
  }

  #parameter(place: string, before: Parameter, after: Parameter): void {
    this.#schemas(place, 'sent', valueSchema(before), valueSchema(after));
    if (before.explode !== false) return;
    if (after.explode === false) this.#bounds(place, 'sent', before.schema, after.schema);
    else this.#report(place, 'no longer accepts several values');
  }

  #bodies(place: string, { requestBody: before }: Operation, { requestBody: after }: Operation): void {
    if (after?.required && !before?.required) this.#report(place, 'now requires a body');
    for (const [mediaType, { schema }] of Object.entries(before?.content ?? {})) {
      const now = after?.content[mediaType];
      if (now) this.#schemas(`${place} body`, 'sent', schema, now.schema);
      else this.#report(place, `no longer accepts ${mediaType}`);
    }
  }

  #responses(place: string, before: Response, after: Response): void {
    for (const [name, reference] of Object.entries(before.headers)) {
      const { required } = resolve<Header>(this.#before, reference);
      const now = after.headers[name];
      if (!now || (required && !resolve<Header>(this.#after, now).required))
        this.#report(place, `can now lack the header ${name}`);
    }
    for (const [mediaType, { schema }] of Object.entries(before.content ?? {})) {
      const now = after.content?.[mediaType];
      if (now) this.#schemas(`${place} response`, 'received', schema, now.schema);
      else this.#report(place, `no longer responds with ${mediaType}`);
    }
  }

  #schemas(place: string, direction: Direction, before?: Schema, after?: Schema): void {
    const one = resolve<Schema>(this.#before, before ?? {});
    const other = resolve<Schema>(this.#after, after ?? {});
    if (direction === 'sent' ? hasMoreAlternatives(one, other) : hasMoreAlternatives(other, one)) {
      this.#report(place, direction === 'sent' ? 'accepts fewer alternatives' : 'has more alternatives');
      return;
    }
    this.#values(place, direction, one, other);
    this.#bounds(place, direction, one, other);
    this.#fields(place, direction, one, other);
    if (one.items) this.#schemas(`${place}/*`, direction, one.items, other.items);
    for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
      one[keyword]?.forEach((part, position) => {
        this.#schemas(place, direction, part, other[keyword]?.[position]);
      });
    }
  }

  /** Compares types and enumerations: requests may only gain values, responses may only lose them. */
  #values(place: string, direction: Direction, before: Schema, after: Schema): void {
    // Enumerations in responses may grow, as the document announces.
    for (const keyword of direction === 'sent' ? ['type', 'enum'] : ['type']) {
      const [one, other] = [valuesOf(before[keyword]), valuesOf(after[keyword])];
      if (direction === 'sent') {
        const removed = missingValues(one, other);
        if (removed.length > 0) this.#report(place, `no longer accepts the ${keyword} ${removed}`);
      } else {
        const added = missingValues(other, one);
        if (added.length > 0) this.#report(place, `can now have the ${keyword} ${added}`);
      }
    }
  }

  #bounds(place: string, direction: Direction, before: Schema, after: Schema): void {
    const [looser, tighter] = direction === 'sent' ? [before, after] : [after, before];
    const number = (schema: Schema, keyword: string, otherwise: number): number =>
      typeof schema[keyword] === 'number' ? schema[keyword] : otherwise;
    const report = (keyword: string): void => {
      this.#report(
        place,
        `has the ${keyword} ${after[keyword] ?? 'none'} instead of ${before[keyword] ?? 'none'}`,
      );
    };
    for (const keyword of upperBounds) {
      if (number(tighter, keyword, Infinity) < number(looser, keyword, Infinity)) report(keyword);
    }
    for (const keyword of lowerBounds) {
      if (number(tighter, keyword, -Infinity) > number(looser, keyword, -Infinity)) report(keyword);
    }
    for (const keyword of constraints) {
      if (tighter[keyword] !== undefined && tighter[keyword] !== looser[keyword]) report(keyword);
    }
    if (
      direction === 'sent' &&
      after.additionalProperties === false &&
      before.additionalProperties !== false
    ) {
      this.#report(place, 'no longer accepts other fields');
    }
  }

  #fields(place: string, direction: Direction, before: Schema, after: Schema): void {
    const known = after.properties ?? {};
    for (const [name, field] of Object.entries(before.properties ?? {})) {
      if (known[name]) this.#schemas(`${place}/${name}`, direction, field, known[name]);
      else this.#report(`${place}/${name}`, 'is removed');
    }
    const [were, are] = [before.required ?? [], after.required ?? []];
    if (direction === 'sent') {
      for (const name of missing(are, were)) this.#report(`${place}/${name}`, 'is now required');
    } else {
      const optional = missing(were, are).filter((name) => known[name]);
      for (const name of optional) this.#report(`${place}/${name}`, 'can now be absent');
    }
  }
}

/** Returns the part of a version that changes with a breaking change: the major version, or 0 and the minor version (SemVer 2.0, section 4). */
const breakingPart = ({ info: { version } }: OpenApiDocument): string =>
  /^(?:0\.\d+|\d+)/.exec(version)?.[0] ?? version;

export const isBreakingVersion = (before: OpenApiDocument, after: OpenApiDocument): boolean =>
  breakingPart(before) !== breakingPart(after);

export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const comparison = new Comparison(before, after);
  comparison.documents();
  return [...new Set(comparison.changes)];
}

/**
 * Returns the fields that a document adds to resources, and that have no default. Entities of before lack them: responses leave them out, although the document
 * says that they are there, and no filter finds these entities. No version announces that.
 */
export const fieldsWithoutDefault = (before: OpenApiDocument, after: OpenApiDocument): string[] =>
  Object.entries(after.components.schemas).flatMap(([name, { required = [] }]) => {
    const known = name.startsWith('New') ? before.components.schemas[name] : undefined;
    const added = known ? required.filter((field) => !(field in (known.properties ?? {}))) : [];
    return added.map(
      (field) => `${name} requires ${field}, which entities of before do not have: give it a default`,
    );
  });

/** Returns undefined when neither the file nor the Git revision exists. */
export function earlierDocument(base: string): OpenApiDocument | undefined {
  if (existsSync(base)) return JSON.parse(readFileSync(base, 'utf8')) as OpenApiDocument;
  try {
    const directory = committedFile.replace(/[^/]*$/, '');
    const text = execFileSync('git', ['show', `${base}:./openapi.json`], {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(text) as OpenApiDocument;
  } catch {
    // Git, the revision or the file in it is missing.
    return undefined;
  }
}
