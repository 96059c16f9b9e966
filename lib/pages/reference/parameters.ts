/** The parameters of an operation: the usual ones first, then one line for each field that can be filtered. */
import type { Parameter } from '../../openapi/types.ts';
import { escaped } from '../html.ts';
import { inlineMarkdown } from '../markdown.ts';
import { entry, factsOf, typeOf } from './fields.ts';

const withoutOperator = (name: string): string => name.replace(/\[.*/, '');

/** Parameters of a list that are not filters, in reading order. */
const usual = ['page', 'after', 'limit', 'sortBy', 'sortOrder', 'fields', 'expand', 'countBy', 'etags'];

export interface ParameterGroups {
  readonly path: readonly Parameter[];
  readonly usual: readonly Parameter[];
  readonly filters: ReadonlyMap<string, readonly Parameter[]>;
  readonly headers: readonly Parameter[];
}

/** Groups parameters. Aliases are left out. */
export function groupsOf(parameters: readonly Parameter[]): ParameterGroups {
  const current = parameters.filter(({ deprecated }) => !deprecated);
  const of = (place: string) => current.filter((parameter) => parameter.in === place);
  const filters = of('query').filter(({ name }) => !usual.includes(name));
  const fields = [...new Set(filters.map(({ name }) => withoutOperator(name)))];
  return {
    path: of('path'),
    usual: of('query')
      .filter(({ name }) => usual.includes(name))
      .toSorted((one, other) => usual.indexOf(one.name) - usual.indexOf(other.name)),
    filters: new Map(
      fields.map((field) => [field, filters.filter(({ name }) => withoutOperator(name) === field)]),
    ),
    headers: of('header'),
  };
}

const listOf = (title: string, parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? ''
    : `<h4>${title}</h4><dl class="fields">${parameters
        .map(({ name, schema, description, required }) => entry(name, factsOf(schema), description, required))
        .join('\n')}</dl>`;

function filterOf(field: string, parameters: readonly Parameter[]): string {
  const operators = parameters.map(({ name }) => /\[(.*)\]/.exec(name)?.[1] ?? '=');
  const items = parameters.map(
    ({ name, description }) =>
      `<dt><code>${escaped(name)}</code></dt><dd>${inlineMarkdown(description)}</dd>`,
  );
  const type = typeOf(parameters.find(({ name }) => name.includes('[gt'))?.schema ?? { type: 'string' });
  return `<details><summary><code>${escaped(field)}</code> <span class="facts">${type}</span><span class="operators">${operators.map((one) => `<code>${one}</code>`).join(' ')}</span></summary>
<dl class="fields">${items.join('\n')}</dl></details>`;
}

function filterList(filters: ParameterGroups['filters'], explainedBy: string | undefined): string {
  if (filters.size === 0) return '';
  if (explainedBy) {
    return `<h4>Filters</h4><p class="facts">The same as in <a href="#${explainedBy}" data-filters>${explainedBy}</a>.</p>`;
  }
  const items = [...filters].map(([field, parameters]) => filterOf(field, parameters));
  return `<h4>Filters</h4><p class="facts">Each field takes an exact match and operators. <a href="/docs/guides/lists-and-filters">Lists and filters</a></p><div class="filters">${items.join('\n')}</div>`;
}

/** @param explainedBy the operation that explains the same filters. */
export const parameterLists = (
  { path, usual: ofList, filters, headers }: ParameterGroups,
  explainedBy?: string,
): string =>
  [
    listOf('Path', path),
    listOf('Query', ofList),
    filterList(filters, explainedBy),
    listOf('Headers', headers),
  ].join('\n');
