/** The form that sends a request. `assets/scripts/try-it.js` fills and submits it. */
import type { Parameter, Schema } from '../../openapi/types.ts';
import { escaped } from '../html.ts';
import type { ParameterGroups } from './parameters.ts';

const option = (value: unknown): string => `<option>${escaped(String(value))}</option>`;

/** Returns a field of the form. What the API enumerates is a drop-down. */
function control(form: string, { name, in: place, schema, required }: Parameter): string {
  const id = `${form}-${place}-${name}`;
  const facts = `id="${id}" name="${escaped(name)}" data-in="${place}"`;
  const isId = place === 'path' && schema['x-reference'] !== undefined;
  const reference = place === 'path' ? ` data-reference="${String(schema['x-reference'] ?? '')}"` : '';
  const choices = isId ? ` list="${id}-known" placeholder="paste an id, or choose"` : '';
  const known = isId ? `<datalist id="${id}-known"></datalist>` : '';
  return `<label for="${id}">${escaped(name)}</label>${input(facts + reference + choices, id, schema, required)}${known}`;
}

function input(facts: string, id: string, schema: Schema, isRequired = false): string {
  const choices = schema.type === 'boolean' ? [true, false] : schema.enum;
  if (choices) return `<select ${facts}><option value=""></option>${choices.map(option).join('')}</select>`;
  const type = schema.type === 'integer' ? 'number' : 'text';
  const placeholder =
    'default' in schema ? ` placeholder="${escaped([schema['default']].flat().join(','))}"` : '';
  const field = `<input type="${type}" ${facts}${placeholder}${isRequired ? ' required' : ''} autocomplete="off" spellcheck="false">`;
  return schema.items?.enum ? `<span class="values">${field}${adder(id, schema.items.enum)}</span>` : field;
}

/** Returns the drop-down that adds one of several values to a field. Their order counts, so the field keeps them as a list. */
const adder = (id: string, values: readonly unknown[]): string =>
  `<select data-adds-to="${id}" aria-label="Add to ${escaped(id.split('-').at(-1) ?? '')}"><option value="">add…</option>${values.map(option).join('')}</select>`;

const controls = (form: string, parameters: readonly Parameter[]): string =>
  `<div class="controls">${parameters.map((parameter) => control(form, parameter)).join('')}</div>`;

const group = (title: string, form: string, parameters: readonly Parameter[]): string =>
  parameters.length === 0
    ? ''
    : `<fieldset><legend>${title}</legend>${controls(form, parameters)}</fieldset>`;

/** What the script offers for a field: its operators, and its values if the API knows them. */
function choicesOf(parameters: readonly Parameter[]): readonly [operators: string[], values: unknown[]] {
  const operators = parameters.map(({ name }) => /\[(.*)\]/.exec(name)?.[1] ?? '');
  const values = parameters
    .filter(({ name }) => !/\[(?:isNull|isEmpty)\]$/.test(name))
    .flatMap(({ schema }) => schema.enum ?? schema.examples ?? []);
  return [operators, [...new Set(values)]];
}

/** Returns the place of the rows of filters: a field, an operator and a value. The script adds the rows. */
function filterRows({ filters }: ParameterGroups, { id, filtersOf }: FormOptions): string {
  if (filters.size === 0) return '';
  const choices = Object.fromEntries([...filters].map(([field, all]) => [field, choicesOf(all)]));
  // Nested lists have the filters of the list of all: they are written once.
  const own = id === filtersOf ? ` data-choices="${escaped(JSON.stringify(choices))}"` : '';
  return `<fieldset data-filters="${filtersOf}"${own}><legend>Filters</legend><div data-rows></div><button type="button" data-add>Add a filter</button></fieldset>`;
}

interface FormOptions {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: ParameterGroups;
  readonly body?: unknown;
  /** The query of the sample, with which the form begins. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The operation whose filters are the same. */
  readonly filtersOf: string;
}

/** What a request takes away that no other request gives back at once: the form has a red button, and asks first. */
function dangerOf(method: string, path: string): string | undefined {
  if (method === 'DELETE') return 'Delete';
  const [, action] = /\/(archive|erase)$/.exec(path) ?? [];
  return action && action.charAt(0).toUpperCase() + action.slice(1);
}

function textarea(id: string, body: unknown): string {
  if (body === undefined) return '';
  const text = JSON.stringify(body, null, 2);
  return `<fieldset><legend><label for="${id}-body">Body</label></legend><textarea id="${id}-body" rows="${Math.min(14, text.split('\n').length)}" spellcheck="false">${escaped(text)}</textarea></fieldset>`;
}

export function tryIt(options: FormOptions): string {
  const { id, method, path, parameters, body, query } = options;
  const danger = dangerOf(method, path);
  // A page would be of no use with this header: the browser has its own cache.
  const headers = parameters.headers.filter(({ name }) => name !== 'If-None-Match');
  const example = query.map(([name, value]) => `${name}=${value}`).join('&');
  return `<details class="try"><summary>Try it</summary>
<form novalidate data-method="${method}" data-path="${path}"${example && ` data-example="${escaped(example)}"`}${danger ? ` data-danger="${danger}"` : ''}>${group('Path', id, parameters.path)}${filterRows(parameters, options)}${group(parameters.filters.size > 0 ? 'Page and order' : 'Query', id, parameters.usual)}${textarea(id, body)}${headers.length === 0 ? '' : `<details class="more"><summary>Headers</summary>${controls(id, headers)}</details>`}
<p class="missing" data-missing role="status" hidden></p>
<p class="send"><button type="submit" class="button${danger ? ' danger' : ''}">${danger ?? 'Send'}</button><span class="missing" data-empty role="alert" hidden></span></p>
<div class="panel" data-response hidden><div class="bar"><span class="outcome" role="status" data-status></span></div><pre class="code" tabindex="0" role="region" aria-label="Response to your request of ${id}"><code></code></pre></div></form></details>`;
}
