/** The form that sends a request. `assets/reference.js` submits it. */
import type { Parameter, Schema } from '../../openapi/types.ts';
import { escaped } from '../layout.ts';
import type { ParameterGroups } from './parameters.ts';

const option = (value: unknown): string => `<option>${escaped(String(value))}</option>`;

/** Returns a field of the form. What the API enumerates is a drop-down. */
function control(form: string, { name, in: place, schema, required }: Parameter): string {
  const id = `${form}-${place}-${name}`;
  const facts = `id="${id}" name="${escaped(name)}" data-in="${place}"`;
  const reference = place === 'path' ? ` data-reference="${String(schema['x-reference'] ?? '')}"` : '';
  return `<label for="${id}">${escaped(name)}</label>${input(facts + reference, id, schema, required)}`;
}

function input(facts: string, id: string, schema: Schema, isRequired = false): string {
  if (schema.enum)
    return `<select ${facts}><option value=""></option>${schema.enum.map(option).join('')}</select>`;
  const list = schema.examples
    ? `<datalist id="${id}-values">${schema.examples.map(option).join('')}</datalist>`
    : '';
  const type = schema.type === 'integer' ? 'number' : 'text';
  const placeholder =
    'default' in schema ? ` placeholder="${escaped([schema['default']].flat().join(','))}"` : '';
  const field = `<input type="${type}" ${facts}${placeholder}${list && ` list="${id}-values"`}${isRequired ? ' required' : ''} autocomplete="off" spellcheck="false">${list}`;
  return schema.items?.enum ? `<span class="values">${field}${adder(id, schema.items.enum)}</span>` : field;
}

/** Returns the drop-down that adds one of several values to a field. Their order counts, so the field keeps them as a list. */
const adder = (id: string, values: readonly unknown[]): string =>
  `<select data-adds-to="${id}" aria-label="Add to ${escaped(id.split('-').at(-1) ?? '')}"><option value="">add…</option>${values.map(option).join('')}</select>`;

/** Returns the filter of a field for the form. If its operators compare ranks, its values are a closed list. */
function exactFilter(field: string, all: readonly Parameter[]): Parameter[] {
  const ranks = all.find(({ name }) => name === `${field}[lt]`)?.schema.enum;
  return all
    .filter(({ name }) => name === field)
    .map((parameter) => (ranks ? { ...parameter, schema: { ...parameter.schema, enum: ranks } } : parameter));
}

/** Returns the parameters that the form has a field for. Operators are typed into one field, as in a URL. */
function shownParameters({ path, usual, filters, headers }: ParameterGroups): Parameter[] {
  const exact = [...filters].flatMap(([field, all]) => exactFilter(field, all));
  // A page would be of no use with this header: the browser has its own cache.
  return [...path, ...usual, ...exact, ...headers.filter(({ name }) => name !== 'If-None-Match')];
}

interface FormOptions {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: ParameterGroups;
  readonly body?: unknown;
}

export function tryIt({ id, method, path, parameters, body }: FormOptions): string {
  const fields = shownParameters(parameters).map((parameter) => control(id, parameter));
  const more =
    parameters.filters.size === 0
      ? ''
      : `<label for="${id}-more">Operators</label><input type="text" id="${id}-more" data-in="more" placeholder="priority[gte]=high&amp;dueDate[lt]=2026-03-20" autocomplete="off" spellcheck="false">`;
  const text =
    body === undefined
      ? ''
      : `<label for="${id}-body">Body</label><textarea id="${id}-body" rows="${Math.min(14, JSON.stringify(body, null, 2).split('\n').length)}" spellcheck="false">${escaped(JSON.stringify(body, null, 2))}</textarea>`;
  return `<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}"><div class="controls">${fields.join('')}${more}</div>${text}
<p><button type="submit" class="button">Send</button> <span class="facts" data-status role="status"></span></p>
<p class="missing" data-missing role="status" hidden></p>
<pre class="code" data-response hidden tabindex="0" role="region" aria-label="Response to your request of ${id}"></pre></form></details>`;
}
