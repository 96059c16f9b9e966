/** Explains values of list options in the syntax of other APIs, such as `sortBy=-name` and `fields=*`. */
import { otherDirectionNames, otherFieldNames } from './other-names.ts';
import { didYouMean, findSameName, quoted } from './suggestion.ts';

/** Longer values are not read: this many characters hold three fields and their directions. */
const maxLength = 128;

const notAValue = (value: string, parameter: string): string =>
  `${quoted(value)} is not a value of "${parameter}".`;

/** A field with a sign before it, or a direction after it: `-name`, `name:asc`, `name desc`. A `+` in a query is a space. */
const sortPattern = /^([ +-]?)([^\s:.|+-]+)(?:[\s:.|](\w+))?$/;

/** Returns the field and the direction of a value of `sortBy`; `undefined` when it has another form. */
function readSort(text: string, sortable: readonly string[]) {
  const [, sign, name = '', word] = sortPattern.exec(text) ?? [];
  const field = findSameName(name, sortable, otherFieldNames);
  if (field === undefined) return undefined;
  if (word === undefined) return { field, direction: sign && (sign === '-' ? 'desc' : 'asc') };
  const direction = findSameName(word, ['asc', 'desc'], otherDirectionNames);
  return direction === undefined ? undefined : { field, direction };
}

/** Returns what is wrong with a `sortBy` that contains directions; `undefined` when it contains none. */
export function explainSort(value: string, sortable: readonly string[]): string | undefined {
  if (value.length > maxLength) return undefined;
  const sorts = value.split(',').map((text) => readSort(text, sortable));
  if (sorts.includes(undefined) || sorts.every((sort) => !sort?.direction)) return undefined;
  const fields = sorts.map((sort) => sort?.field).join(',');
  const directions = sorts.map((sort) => sort?.direction || 'asc');
  const order = new Set(directions).size === 1 ? directions[0] : directions.join(',');
  return `${notAValue(value, 'sortBy')} ${didYouMean(`sortBy=${fields}&sortOrder=${order}`)}`;
}

/** Returns what is wrong with a `fields` that asks for everything or for an expansion; `undefined` when it does neither. */
export function explainFields(value: string, fieldNames: readonly string[], expansions: readonly string[]) {
  if (value.length > maxLength) return undefined;
  for (const name of value.split(',').filter((one) => !fieldNames.includes(one))) {
    if (name === '*' || name === 'all') {
      return `${notAValue(name, 'fields')} Leave "fields" out to get all fields.`;
    }
    const [expansion = ''] = name.split('.');
    if (expansions.includes(expansion)) {
      return `${notAValue(name, 'fields')} Send "expand=${expansion}" besides: it adds the entity that the reference names.`;
    }
  }
  return undefined;
}
