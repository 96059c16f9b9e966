/** The page of an operation, in Markdown. */
import { listOptions } from '../../functions/contract/list-fields.ts';
import { currentParameters, resolve } from '../openapi/resolve.ts';
import type { OpenApiDocument, Operation, Reference, Response, Schema } from '../openapi/types.ts';
import { code, fieldList, filterList, parameterList, section } from './fields.ts';

export interface OperationPlace {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Returns a summary as a title: without the period, and without what follows a colon. */
export const titleOf = ({ summary }: Operation): string => summary.replace(/[.:].*/s, '');

export const block = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** Parameters of a list that are not filters, in reading order. */
const usual: readonly string[] = listOptions;

/** Languages of samples as guides name them. */
const languages: Readonly<Record<string, string>> = { bash: 'sh', typescript: 'ts' };

function parameters(document: OpenApiDocument, { path, operation }: OperationPlace): string {
  const all = currentParameters(document, operation);
  const of = (place: string) => all.filter((parameter) => parameter.in === place);
  const ofList = of('query')
    .filter(({ name }) => usual.includes(name))
    .toSorted((one, other) => usual.indexOf(one.name) - usual.indexOf(other.name));
  const filters = of('query').filter(({ name }) => !usual.includes(name));
  const listOfAll = `list${operation.tags[0]}`;
  const isNested = path.split('/').length > 3 && filters.length > 5;
  return [
    section('Path', parameterList(of('path'))),
    section('Query', parameterList(ofList)),
    section(
      'Filters',
      isNested
        ? `The same as those of [${listOfAll}](/docs/reference/${listOfAll}#filters).`
        : filterList(filters),
    ),
    section('Headers', parameterList(of('header'))),
  ].join('\n');
}

/** Returns the fields of a body. A batch has several kinds of operations, each with its fields. */
function body(document: OpenApiDocument, { operation: { requestBody } }: OperationPlace): string {
  const schema = requestBody?.content['application/json']?.schema;
  if (!requestBody || !schema) return '';
  const alternatives = resolve(document, schema).properties?.['operations']?.items?.oneOf ?? [];
  const fields =
    alternatives.length > 0
      ? `${alternatives.map((one) => `### ${one['title']}\n\n${fieldList(document, one, 'request')}`).join('\n\n')}`
      : fieldList(document, schema, 'request');
  return section(requestBody.required ? 'Body' : 'Body (optional)', fields || 'An empty object.');
}

/** Returns the first example of a response. */
function exampleOf({ content = {} }: Response): unknown {
  const [{ example, examples = {} } = {}] = Object.values(content);
  return example ?? Object.values(examples)[0]?.value;
}

/** Returns the description of a response, with links to its problems. */
function describe({ description, content = {} }: Response): string {
  const [line = ''] = description.split('\n');
  const problems = Object.keys(content['application/problem+json']?.examples ?? {});
  if (problems.length === 0 || line.includes('/docs/problems#')) return line;
  return `${line} ${problems.map((problem) => `[${problem}](/docs/problems#${problem})`).join(', ')}`;
}

function responses(document: OpenApiDocument, { operation }: OperationPlace): string {
  const all = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolve<Response>(document, response)] as const,
  );
  const [success] = all;
  if (!success) return '';
  const [status, response] = success;
  const example = exampleOf(response);
  const schema: Schema | Reference | undefined = response.content?.['application/json']?.schema;
  const items = all.map(([own, one]) => `- ${code(own)} ${describe(one)}`);
  return [
    `## Response\n\n${code(status)} ${response.description}\n`,
    example === undefined ? '' : `${block('json', JSON.stringify(example, null, 2))}\n`,
    section('Fields of the response', schema ? fieldList(document, schema, 'response') : ''),
    section('Statuses', items.join('\n')),
  ].join('\n');
}

/** @param document with samples. */
export function operationPage(document: OpenApiDocument, place: OperationPlace): string {
  const { path, method, operation } = place;
  const samples = operation['x-codeSamples'] ?? [];
  return [
    `# ${titleOf(operation)}\n`,
    `${code(`${method.toUpperCase()} ${path}`)}\n`,
    `${operation.description ?? ''}\n`,
    ...samples.map(({ lang, source }) => `${block(languages[lang] ?? lang, source)}\n`),
    parameters(document, place),
    body(document, place),
    responses(document, place),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n');
}
