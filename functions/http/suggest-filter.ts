/** Suggests filters for parameters in the syntax of other APIs: `due_date_lt`, `dueDate.lt` and `dueDate>` mean `dueDate[lt]`. */
import type { ListField } from '../contract/list-fields.ts';
import { exactMatchNames, otherFieldNames, otherOperatorNames, presenceNames } from './other-names.ts';
import { findNearestName, findSameName, simplify } from './suggestion.ts';

const maxLength = 64;

/** Words of a parameter: the longest is like `filter[due_date][not_in]`. Each way to split more of them takes time. */
const maxWords = 8;

const prefixes: readonly string[] = ['filter', 'filters', 'where'];

export type ListFields = Readonly<Record<string, ListField>>;

/** A field, and what stands where this API has an operator. */
type Attempt = readonly [field: string, operator: string];

/** Returns the filter that a caller means with an operator such as `exists`; `undefined` when it is another operator. */
export function suggestPresence(operator: string, { name, operators }: ListField): string | undefined {
  const absence = operators.find((one) => one === 'isNull' || one === 'isEmpty');
  return absence && presenceNames.includes(simplify(operator)) ? `${name}[${absence}]=false` : undefined;
}

function toParameter(field: string, operator: string, fields: ListFields): string | undefined {
  if (exactMatchNames.includes(simplify(operator))) return field;
  const presence = fields[field] && suggestPresence(operator, fields[field]);
  if (presence) return presence;
  const known = findSameName(operator, fields[field]?.operators ?? [], otherOperatorNames);
  return known === undefined ? undefined : `${field}[${known}]`;
}

/**
 * Returns the field and the symbol of a parameter such as `priority>`. The query has been split at its first `=`, so a symbol at the end
 * was followed by one.
 */
function splitSymbol(parameter: string): Attempt | undefined {
  const [, field, symbol, rest] = /^([^<>!~[\]]+)([<>!~]+)([^<>!~[\]]*)$/.exec(parameter) ?? [];
  return field === undefined ? undefined : [field, rest === '' ? `${symbol}=` : `${symbol}`];
}

/** Returns each way to split a parameter in a field and an operator: at separators, and where a capital letter begins a word. */
function splitWords(parameter: string): Attempt[] {
  const words = parameter.match(/[A-Z]?[a-z]+|[A-Z]+|[<>!=~]+/g) ?? [];
  if (words.length > maxWords) return [];
  const own = prefixes.includes((words[0] ?? '').toLowerCase()) ? words.slice(1) : words;
  return own.map((_, position) => [own.slice(0, position + 1).join(''), own.slice(position + 1).join('')]);
}

export function suggestFilter(parameter: string, fields: ListFields): string | undefined {
  if (parameter.length > maxLength) return undefined;
  const names = Object.keys(fields);
  const symbol = splitSymbol(parameter);
  for (const [text, operator] of symbol ? [symbol] : splitWords(parameter)) {
    const field = findSameName(text, names, otherFieldNames);
    const found = field === undefined ? undefined : toParameter(field, operator, fields);
    if (found !== undefined) return found;
  }
  const [, misspelled = '', operator = ''] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(parameter) ?? [];
  const field = findNearestName(misspelled, names, otherFieldNames);
  return field === undefined ? undefined : toParameter(field, operator, fields);
}
