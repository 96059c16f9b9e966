/** The types of the client (`client/types.ts`), made from the document. */
import { catalogue } from '../../functions/shared/http/problems.ts';
import { pascal } from './schemas.ts';
import type { OpenApiDocument, Operation, Parameter, Schema } from './types.ts';

const quoted = (value: unknown): string => `'${String(value)}'`;

/** The TypeScript of a member's schema. */
function typeOf({ type, enum: values, items }: Schema): string {
  if (values) return values.map(quoted).join(' | ');
  if (items) return `readonly ${/\|/.test(typeOf(items)) ? `(${typeOf(items)})` : typeOf(items)}[]`;
  return [type]
    .flat()
    .map((one) => (one === 'integer' ? 'number' : String(one)))
    .join(' | ');
}

const comment = (text: unknown, indent = ''): string => `${indent}/** ${String(text)} */\n`;

function member(name: string, schema: Schema, description: unknown, isRequired: boolean): string {
  const type = typeOf(schema);
  const declared = isRequired ? `readonly ${name}: ${type};` : `readonly ${name}?: ${type} | undefined;`;
  return `${comment(description, '  ')}  ${declared}\n`;
}

const declaration = (name: string, description: unknown, members: readonly string[]): string =>
  `${comment(description)}export interface ${name} {\n${members.join('')}}\n`;

/** What is sent or received; members that are taken and ignored need not be sent. */
function fromSchema(name: string, { properties = {}, required = [], description }: Schema): string {
  const members = Object.entries(properties)
    .filter(([, schema]) => schema.type !== undefined)
    .map(([property, schema]) =>
      member(property, schema, schema['description'], required.includes(property)),
    );
  return members.length === 0 ? '' : declaration(name, description, members);
}

/** What a list is asked for; of two spellings the usual one. */
function query(
  name: string,
  { parameters: components }: OpenApiDocument['components'],
  list: Operation,
): string {
  const members = (list.parameters ?? [])
    .map(
      (parameter) =>
        components['$ref' in parameter ? (parameter.$ref.split('/').at(-1) ?? '') : ''] as Parameter,
    )
    .filter((parameter) => parameter.in === 'query' && !parameter.deprecated)
    .map((parameter) => member(parameter.name, parameter.schema, parameter.description, false));
  return declaration(`${name}Query`, list.summary, members);
}

const isGeneral = (name: string): boolean => /List$|^(?:Health|Problem|GatewayMessage)$/.test(name);

/** Makes the file. */
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
    '// Made from the OpenAPI document by "npm run openapi": changes here are lost.\n',
    ...schemas,
    ...queries,
    `${comment('The status of each kind of problem.')}export interface ProblemStatuses {\n${statuses
      .join('')
      .replaceAll(',\n', ';\n')}}\n`,
  ]
    .filter(Boolean)
    .join('\n');
}
