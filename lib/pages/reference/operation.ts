import { exampleQuery } from '../../openapi/samples/request.ts';
import type { OpenApiDocument, Operation, Parameter, Response } from '../../openapi/types.ts';
import { jsonBlock, methodPill, statusPill, tabs } from '../code.ts';
import { escaped } from '../html.ts';
import { inlineMarkdown, markdown } from '../markdown.ts';
import { batchFields, fieldList } from './fields.ts';
import { groupsOf, parameterLists } from './parameters.ts';
import { resolve } from './resolve.ts';
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
    .replace(exampleRequest, 'The sample asks for $1.')
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
  const { properties, description } = resolve(document, schema);
  const alternatives = properties?.['operations']?.items?.oneOf;
  const fields = alternatives ? batchFields(document, alternatives) : fieldList(document, schema);
  const isOptional = requestBody?.required ? '' : ' <span class="facts">optional</span>';
  return `<h4>Body${isOptional}</h4>${description ? markdown(String(description)) : ''}${fields}`;
}

function exampleOf({ content = {} }: Response): unknown {
  const { example, examples = {} } = content['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}

function responses({ document, operation }: OperationPlace): { list: string; example: string } {
  const all = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolve<Response>(document, response)] as const,
  );
  const items = all.map(
    ([status, { description }]) =>
      `<li>${statusPill(status)} <span>${inlineMarkdown(description.split('\n')[0] ?? '')}</span></li>`,
  );
  const [status = '', success] = all[0] ?? [];
  const example = success && exampleOf(success);
  return {
    list: `<details class="responses"><summary><h4>Responses</h4> <span class="facts">${all.map(([code]) => code).join(' ')}</span></summary><ul>${items.join('\n')}</ul><p class="facts">The <a href="/docs/problems">problems</a> explain every error.</p></details>`,
    example:
      example === undefined
        ? ''
        : jsonBlock(
            example,
            `Response of ${operation.operationId}`,
            `${statusPill(status)} <span>Response</span>`,
          ),
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
  const { list, example } = responses(place);
  const exampleBody = requestBody?.content['application/json']?.example;
  return `<section class="operation" id="${operationId}" data-method="${method}">
<h3><a href="#${operationId}">${escaped(titleOf(operation))}</a></h3>
<p class="path">${methodPill(method)} <code>${pathHtml(path)}</code></p>
<div class="halves"><div class="half">
${describe(description)}
${parameterLists(groups, listOfAll(place))}
${body(place)}
${list}
</div><div class="half examples">
${samples(operation)}
${tryIt({ id: operationId, method: method.toUpperCase(), path, parameters: groups, body: exampleBody, query: method === 'get' ? exampleQuery(operation) : [], filtersOf: listOfAll(place) ?? operationId })}
${example}
</div></div>
</section>`;
}
