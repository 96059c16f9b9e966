const priorities = ['none', 'low', 'medium', 'high', 'urgent'];

/** Returns the value that a list compares: the rank of a priority, or the first 100 characters of a description. */
function sortValue(field: string, value: unknown): unknown {
  if (field === 'priority') return String(priorities.indexOf(String(value)));
  return field === 'description' ? [...String(value)].slice(0, 100).join('') : value;
}

type Values = { readonly [field: string]: unknown };

/**
 * Returns a comparator for the ascending order of a list: by the field, then `createdAt`, then `id`. Null sorts before any
 * text. Text sorts by Unicode code point, which is the order of its UTF-8 bytes. The `<` of JavaScript differs from it.
 */
export function ascendingBy(sortBy: string): (one: Values, other: Values) => number {
  return (one, other) =>
    [sortBy, 'createdAt', 'id']
      .map((field) => compareValues(sortValue(field, one[field]), sortValue(field, other[field])))
      .find((difference) => difference !== 0) ?? 0;
}

function compareValues(one: unknown, other: unknown): number {
  if (typeof one !== 'string' || typeof other !== 'string')
    return Number(one !== null) - Number(other !== null);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
