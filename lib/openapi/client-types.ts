import { catalogue } from '../../functions/http/problems.ts';
import { listTypes } from './client-list-types.ts';
import { knownStatuses } from './resources.ts';
import type { OpenApiDocument, Schema } from './types.ts';
import { comment, declaration, field, quoted, statusType, union } from './typescript.ts';

/** Returns the interface of a body. Fields that are accepted and ignored are left out, and what `expand` adds. */
function fromSchema(
  name: string,
  { properties = {}, required = [], description }: Schema,
  expansions: readonly string[],
): string {
  const fields = Object.entries(properties)
    .filter(([property, schema]) => schema.type !== undefined && !expansions.includes(property))
    .map(([property, schema]) => field(property, schema, required.includes(property)));
  return fields.length === 0 ? '' : declaration(name, description, fields);
}

const isGeneral = (name: string): boolean =>
  /List$|ChangesPage$|History$|Batch(?:Results)?$|^Partial|^(?:SignedInUser|Live|Health|Problem|GatewayMessage)$/.test(
    name,
  );

export function clientTypes(document: OpenApiDocument): string {
  const lists = listTypes(document);
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !isGeneral(name))
    .map(([name, schema]) => fromSchema(name, schema, lists.expansions[name] ?? []));
  const statuses = Object.entries(catalogue).map(([code, { status }]) => `  ${quoted(code)}: ${status};\n`);
  return [
    '// Generated from the OpenAPI document by "npx pm-api openapi". Do not edit.\n',
    "import type { Filter } from './filters.ts';\nimport type { ValueCount } from './query.ts';\n",
    // An intersection with {} keeps the suggestions: a union with string would be string.
    `${comment('A status: one of the common ones, or any other of 1 to 64 letters, digits, `-` and `_`.')}export type ${statusType} = ${union(knownStatuses)} | (string & {});\n`,
    ...schemas,
    ...lists.declarations,
    `${comment('Status of each kind of problem.')}export interface ProblemStatuses {\n${statuses.join('')}}\n`,
  ]
    .filter(Boolean)
    .join('\n');
}
