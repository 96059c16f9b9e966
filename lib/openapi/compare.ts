/** Finds what a change of the document breaks for clients of an earlier one. */
import type { OpenApiDocument, Operation, Parameter, Reference, Response, Schema } from './types.ts';

/** A value that is sent must fit all that fitted before; a value that is received, nothing but what fitted before. */
type Direction = 'sent' | 'received';

/** Bounds that may be raised where a value is sent, and lowered where it is received; and the other way round. */
const upperBounds = ['maximum', 'maxLength', 'maxItems'] as const;
const lowerBounds = ['minimum', 'minLength', 'minItems'] as const;

/** What narrows a value and has no order: it may only go where a value is sent, and only come where it is received. */
const constraints = ['pattern', 'format', 'uniqueItems', 'const'] as const;

const list = <Value>(value: Value | readonly Value[] | undefined): readonly Value[] =>
  value === undefined ? [] : ([value].flat() as Value[]);

const missing = <Value>(from: readonly Value[], other: readonly Value[]): Value[] =>
  from.filter((value) => !other.includes(value));

/** A document whose references can be followed. */
class Resolved {
  readonly document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.document = document;
  }

  at<Value>(value: Value | Reference | undefined): Value | undefined {
    const reference = (value as Partial<Reference> | undefined)?.$ref;
    if (reference === undefined) return value as Value | undefined;
    const [, , section, name] = reference.split('/');
    const sections = this.document.components as unknown as Record<string, Record<string, Value>>;
    return this.at(sections[section ?? '']?.[name ?? '']);
  }

  parameters({ parameters = [] }: Operation): ReadonlyMap<string, Parameter> {
    const resolved = parameters.flatMap((parameter) => this.at<Parameter>(parameter) ?? []);
    return new Map(
      resolved.map((parameter) => [`${parameter.in} ${parameter.name.toLowerCase()}`, parameter]),
    );
  }
}

class Comparison {
  readonly breaks: string[] = [];
  readonly #before: Resolved;
  readonly #after: Resolved;

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#before = new Resolved(before);
    this.#after = new Resolved(after);
  }

  documents(): void {
    const { paths } = this.#after.document;
    for (const [path, item] of Object.entries(this.#before.document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const place = `${method.toUpperCase()} ${path}`;
        const after = paths[path]?.[method];
        if (after) this.#operations(place, operation, after);
        else this.#say(place, 'is gone');
      }
    }
  }

  #say(place: string, what: string): void {
    this.breaks.push(`${place} ${what}`);
  }

  #operations(place: string, before: Operation, after: Operation): void {
    if (before.operationId !== after.operationId) this.#say(place, `is called ${after.operationId} now`);
    const scopes = (operation: Operation): string[] =>
      operation.security.flatMap((scheme) => Object.values(scheme).flat());
    for (const scope of missing(scopes(after), scopes(before)))
      this.#say(place, `needs the scope ${scope} now`);
    this.#parameters(place, this.#before.parameters(before), this.#after.parameters(after));
    this.#bodies(place, before, after);
    for (const [status, response] of Object.entries(before.responses)) {
      const one = this.#before.at<Response>(response);
      const other = this.#after.at<Response>(after.responses[status]);
      // A refusal that cannot happen any more breaks nobody.
      if (!other && Number(status) < 400) this.#say(place, `does not answer ${status} any more`);
      if (one && other) this.#responses(`${place} ${status}`, one, other);
    }
    for (const status of missing(Object.keys(after.responses), Object.keys(before.responses))) {
      if (Number(status) < 400) this.#say(place, `may answer ${status} now`);
    }
  }

  #parameters(
    place: string,
    before: ReadonlyMap<string, Parameter>,
    after: ReadonlyMap<string, Parameter>,
  ): void {
    for (const [name, parameter] of before) {
      const now = after.get(name);
      if (!now) this.#say(place, `does not take the parameter ${name} any more`);
      else this.#schemas(`${place} ${name}`, 'sent', parameter.schema, now.schema);
    }
    for (const [name, { required }] of after) {
      if (required && !before.get(name)?.required) this.#say(place, `needs the parameter ${name} now`);
    }
  }

  #bodies(place: string, { requestBody: before }: Operation, { requestBody: after }: Operation): void {
    if (after?.required && !before?.required) this.#say(place, 'needs a body now');
    for (const [mediaType, { schema }] of Object.entries(before?.content ?? {})) {
      const now = after?.content[mediaType];
      if (now) this.#schemas(`${place} body`, 'sent', schema, now.schema);
      else this.#say(place, `does not take ${mediaType} any more`);
    }
  }

  #responses(place: string, before: Response, after: Response): void {
    for (const [name, reference] of Object.entries(before.headers)) {
      const required = this.#before.at<{ required?: boolean }>(reference)?.required;
      const now = after.headers[name];
      const still = this.#after.at<{ required?: boolean }>(now)?.required;
      if (!now || (required && !still)) this.#say(place, `may come without the header ${name}`);
    }
    for (const [mediaType, { schema }] of Object.entries(before.content ?? {})) {
      const now = after.content?.[mediaType];
      if (now) this.#schemas(`${place} answer`, 'received', schema, now.schema);
      else this.#say(place, `does not answer with ${mediaType} any more`);
    }
  }

  #schemas(place: string, direction: Direction, before?: Schema, after?: Schema): void {
    const one = this.#before.at<Schema>(before) ?? {};
    const other = this.#after.at<Schema>(after) ?? {};
    this.#values(place, direction, 'type', one, other);
    // Lists of values that are received may grow: the document says so.
    if (direction === 'sent') this.#values(place, direction, 'enum', one, other);
    this.#bounds(place, direction, one, other);
    this.#members(place, direction, one, other);
    if (one.items) this.#schemas(`${place}/*`, direction, one.items, other.items);
    one.allOf?.forEach((part, position) => {
      this.#schemas(place, direction, part, other.allOf?.[position]);
    });
  }

  /** Types and closed lists of values: what is sent may only gain, what is received may only lose. */
  #values(
    place: string,
    direction: Direction,
    keyword: 'type' | 'enum',
    before: Schema,
    after: Schema,
  ): void {
    const [one, other] = [list<unknown>(before[keyword]), list<unknown>(after[keyword])];
    if (direction === 'sent') {
      const refused = one.length === 0 && other.length > 0 ? ['anything else'] : missing(one, other);
      if (other.length > 0 && refused.length > 0)
        this.#say(place, `does not take the ${keyword} ${refused} any more`);
    } else {
      const unheard = other.length === 0 && one.length > 0 ? ['anything'] : missing(other, one);
      if (one.length > 0 && unheard.length > 0) this.#say(place, `may have the ${keyword} ${unheard} now`);
    }
  }

  #bounds(place: string, direction: Direction, before: Schema, after: Schema): void {
    const [looser, tighter] = direction === 'sent' ? [before, after] : [after, before];
    const number = (schema: Schema, keyword: string, otherwise: number): number =>
      typeof schema[keyword] === 'number' ? schema[keyword] : otherwise;
    const said = (keyword: string): void => {
      this.#say(
        place,
        `has the ${keyword} ${after[keyword] ?? 'none'} instead of ${before[keyword] ?? 'none'}`,
      );
    };
    for (const keyword of upperBounds) {
      if (number(tighter, keyword, Infinity) < number(looser, keyword, Infinity)) said(keyword);
    }
    for (const keyword of lowerBounds) {
      if (number(tighter, keyword, -Infinity) > number(looser, keyword, -Infinity)) said(keyword);
    }
    for (const keyword of constraints) {
      if (tighter[keyword] !== undefined && tighter[keyword] !== looser[keyword]) said(keyword);
    }
    if (
      direction === 'sent' &&
      after.additionalProperties === false &&
      before.additionalProperties !== false
    ) {
      this.#say(place, 'does not take other members any more');
    }
  }

  #members(place: string, direction: Direction, before: Schema, after: Schema): void {
    const known = after.properties ?? {};
    for (const [name, member] of Object.entries(before.properties ?? {})) {
      if (known[name]) this.#schemas(`${place}/${name}`, direction, member, known[name]);
      else this.#say(`${place}/${name}`, 'is gone');
    }
    const [were, are] = [before.required ?? [], after.required ?? []];
    if (direction === 'sent') {
      for (const name of missing(are, were)) this.#say(`${place}/${name}`, 'is required now');
    } else {
      const optional = missing(were, are).filter((name) => known[name]);
      for (const name of optional) this.#say(`${place}/${name}`, 'may be left out now');
    }
  }
}

/** The part of a version that stays while nothing breaks: the first number, or two while that is 0 (SemVer 2.0, 4). */
const line = ({ info: { version } }: OpenApiDocument): string =>
  /^(?:0\.\d+|\d+)/.exec(version)?.[0] ?? version;

/** Whether the version says that clients of `before` must look again. */
export const isNewLine = (before: OpenApiDocument, after: OpenApiDocument): boolean =>
  line(before) !== line(after);

/**
 * What a client of `before` would stumble over.
 * @returns a line for each; none when every client of `before` is served by `after` as well.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const comparison = new Comparison(before, after);
  comparison.documents();
  return [...new Set(comparison.breaks)];
}
