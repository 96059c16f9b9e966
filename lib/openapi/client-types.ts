/** Generates the types of the client (`client/types.ts`) from the document. */
import { catalogue } from '../../functions/shared/http/problems.ts';
import { pascal } from './schemas.ts';
import type { OpenApiDocument, Operation, Parameter, Schema } from './types.ts';

const quoted = (value: unknown): string => `'${String(value)}'`;

/** Returns the TypeScript type of a field. */
function typeOf({ type, enum: values, items }: Schema): string {
  if (values) return values.map(quoted).join(' | ');
  if (items) return `readonly ${/\|/.test(typeOf(items)) ? `(${typeOf(items)})` : typeOf(items)}[]`;
  return [type]
    .flat()
    .map((one) => (one === 'integer' ? 'number' : String(one)))
    .join(' | ');
}

const comment = (text: unknown, indent = ''): string => `${indent}/** ${String(text)} */\n`;

function field(name: string, schema: Schema, description: unknown, isRequired: boolean): string {
  const type = typeOf(schema);
  const declared = isRequired ? `readonly ${name}: ${type};` : `readonly ${name}?: ${type} | undefined;`;
  return `${comment(description, '  ')}  ${declared}\n`;
}

const declaration = (name: string, description: unknown, fields: readonly string[]): string =>
  `${comment(description)}export interface ${name} {\n${fields.join('')}}\n`;

/** Returns the interface of a body. Fields that are accepted and ignored are left out. */
function fromSchema(name: string, { properties = {}, required = [], description }: Schema): string {
  const fields = Object.entries(properties)
    .filter(([, schema]) => schema.type !== undefined)
    .map(([property, schema]) => field(property, schema, schema['description'], required.includes(property)));
  return fields.length === 0 ? '' : declaration(name, description, fields);
}

/** Returns the interface of the query of a list. Aliases are left out. */
function query(
  name: string,
  { parameters: components }: OpenApiDocument['components'],
  list: Operation,
): string {
  const fields = (list.parameters ?? [])
    .map(
      (parameter) =>
        components['$ref' in parameter ? (parameter.$ref.split('/').at(-1) ?? '') : ''] as Parameter,
    )
    .filter((parameter) => parameter.in === 'query' && !parameter.deprecated)
    .map((parameter) => field(parameter.name, parameter.schema, parameter.description, false));
  return declaration(`${name}Query`, list.summary, fields);
}

const isGeneral = (name: string): boolean => /List$|^(?:Health|Problem|GatewayMessage)$/.test(name);

/** Returns the text of the file. */
export function clientTypes({ components, paths }: OpenApiDocument): string {
  const schemas = Object.entries(components.schemas)
    .filter(([name]) => !isGeneral(name))
    .map(([name, schema]) => fromSchema(name, schema));
  const queries = Object.values(paths).flatMap(({ get }) => {
    const [, plural] = /^list([A-Z][a-z]+)$/.exec(get?.operationId ?? '') ?? [];
    return get && plural ? [query(pascal(plural.slice(0, -1)), components, get)] : [];
  });
  const statuses = Object.entries(catalogue).map(([code, { status }]) => `  ${quoted(code)}: ${status},\n`);
  return [
    '// Generated from the OpenAPI document by "npm run openapi". Do not edit.\n',
    ...schemas,
    ...queries,
    `${comment('Status of each kind of problem.')}export interface ProblemStatuses {\n${statuses
      .join('')
      .replaceAll(',\n', ';\n')}}\n`,
  ]
    .filter(Boolean)
    .join('\n');
}
