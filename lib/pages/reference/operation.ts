import { exampleQuery } from '../../openapi/samples/request.ts';
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
} from '../../openapi/types.ts';
import { methodPill, responseTabs, statusPill, tabs } from '../code.ts';
import { escaped } from '../html.ts';
import { inlineMarkdown, markdown } from '../markdown.ts';
import { batchFields, fieldList } from './fields.ts';
import { groupsOf, parameterLists } from './parameters.ts';
import { resolve } from './resolve.ts';
import { exampleOf } from './response-templates.ts';
import { tryIt } from './try-it.ts';

interface OperationPlace {
  readonly document: OpenApiDocument;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Returns a summary as a title: without the period, and without what follows a colon. */
export const titleOf = ({ summary }: Operation): string => summary.replace(/[.:].*/s, '');

/** The request at the end of a description of a list: the sample beside it has the same, with current days. */
const exampleRequest = /For example, (.*): `GET [^`]*`\./;

/** Returns the description. What concerns tokens is shown only if requests need one. */
const describe = (description: string): string =>
  description
    .replace(exampleRequest, 'The sample requests $1.')
    .split('\n\n')
    .map((paragraph) =>
      /^Requires (?:the scope|no token)/.test(paragraph)
        ? `<div class="of-token-pages">${markdown(paragraph)}</div>`
        : markdown(paragraph),
    )
    .join('');

export const pathHtml = (path: string): string => path.replaceAll(/\{\w+\}/g, (name) => `<i>${name}</i>`);

const samples = ({ 'x-codeSamples': all = [], summary }: Operation): string =>
  tabs(
    all.map(({ label, lang, source }) => ({ label, language: lang, source })),
    titleOf({ summary } as Operation),
  );

function body({ document, operation: { requestBody } }: OperationPlace): string {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return '';
  const { properties } = resolve(document, schema);
  const alternatives = properties?.['operations']?.items?.oneOf;
  const fields = alternatives ? batchFields(document, alternatives) : fieldList(document, schema);
  const isOptional = requestBody?.required ? '' : ' <span class="facts">optional</span>';
  return `<h4>Body${isOptional}</h4>${fields}`;
}

/** Returns the name of the component that a reference names. */
const nameOf = (reference: object): string =>
  String('$ref' in reference ? reference.$ref : '')
    .split('/')
    .at(-1) ?? '';

/** Returns the fields of a successful response. They are written once for each schema, and shown when the reader opens them. */
function responseFields(schema: Schema | Reference | undefined): string {
  const name = schema && nameOf(schema);
  return name
    ? `<details class="schema" data-schema="${name}"><summary><h4>Response</h4> <span class="facts">fields of ${name}</span></summary></details>`
    : '';
}

function responses({ document, operation }: OperationPlace): { list: string; examples: string } {
  const all = Object.entries(operation.responses).map(
    ([status, response]) => ({ status, response, ...resolve<Response>(document, response) }) as const,
  );
  const items = all.map(
    ({ status, description }) =>
      `<li>${statusPill(status)} <span>${inlineMarkdown(description.split('\n')[0] ?? '')}</span></li>`,
  );
  const [success] = all;
  const errors = all.filter(({ status, response }) => status >= '400' && nameOf(response));
  const fields = responseFields(success?.content?.['application/json']?.schema);
  return {
    list: `${fields}<details class="responses"><summary><h4>Statuses</h4> <span class="facts">${all.length}: ${success?.status} and ${all.length - 1} others</span></summary><ul>${items.join('\n')}</ul><p class="facts">See <a href="/docs/problems">Errors</a> for what each error means.</p></details>`,
    examples: success
      ? responseTabs(
          { status: success.status, example: exampleOf(success) },
          errors.map(({ status, response }) => ({ status, name: nameOf(response) })),
          operation.operationId,
        )
      : '',
  };
}

/** Returns the operation that explains the filters of a nested list: that of all entities. */
function listOfAll({ path, operation: { tags } }: OperationPlace): string | undefined {
  return path.split('/').length > 3 ? `list${tags[0]}` : undefined;
}

export function operationSection(place: OperationPlace): string {
  const { document, path, method, operation } = place;
  const { operationId, description = '', parameters = [], requestBody } = operation;
  const groups = groupsOf(parameters.map((parameter) => resolve<Parameter>(document, parameter)));
  const { list, examples } = responses(place);
  const exampleBody = requestBody?.content['application/json']?.example;
  return `<section class="operation" id="${operationId}" data-method="${method}">
<h3><a href="#${operationId}">${escaped(titleOf(operation))}</a></h3>
<p class="path">${methodPill(method)} <code>${pathHtml(path)}</code></p>
<div class="parts"><div class="about">
${describe(description)}
</div><div class="examples">
${samples(operation)}
${tryIt({ id: operationId, method: method.toUpperCase(), path, parameters: groups, body: exampleBody, query: method === 'get' ? exampleQuery(operation) : [], filtersOf: listOfAll(place) ?? operationId })}
${examples}
</div><div class="details">
${parameterLists(groups, listOfAll(place))}
${body(place)}
${list}
</div></div>
</section>`;
}
