/** Hints for a model: what it may have got wrong in a request whose response is no error. */

/** Matches one id, or several. */
const idsPattern = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:,|$))+$/i;

/** Values that need no look at the collection: every model knows them. */
const usualValues = new Set('planned,active,completed,archived,none,low,medium,high,urgent'.split(','));

interface NamedFilter {
  /** As the model has sent it: `status[notIn]`. */
  readonly name: string;
  readonly field: string;
  /** Empty for an exact match. */
  readonly operator: string;
  readonly text: string;
}

function idHint({ name, operator, text }: NamedFilter): string | undefined {
  if (!/^(?:ne|in|notIn|all)?$/.test(operator) || idsPattern.test(text)) return undefined;
  return `"${name}" needs an id. Find it with "list" by ${text.startsWith('#') ? 'number' : 'name'}.`;
}

/** @param inUse returns the values of a field that entities have. */
async function valueHint(
  { name, field, operator, text }: NamedFilter,
  isEmpty: boolean,
  inUse: (field: string) => Promise<string[]>,
): Promise<string | undefined> {
  const values = operator === '' ? [text] : text.split(',');
  const isExcluding = /^(?:ne|notIn)$/.test(operator);
  if (isExcluding ? values.every((value) => usualValues.has(value)) : !isEmpty || !/^(?:in)?$/.test(operator))
    return undefined;
  if (operator === '' && text.includes(',')) return `"${name}" is one value. Try "${name}[in]" for several.`;
  const used = await inUse(field);
  const unknown = values.filter((value) => !used.includes(value));
  return unknown.length === 0
    ? undefined
    : `No ${field} is "${unknown.join('" or "')}". In use: ${used.join(', ') || 'none'}.`;
}

function textHint({ name, field, operator, text }: NamedFilter): string | undefined {
  if (operator !== '') return undefined;
  if (/(?:Date|At)$/.test(field) && !/^\d{4}-/.test(text))
    return `"${name}" is a day, such as 2026-12-31. A range has "${name}[gte]" and "${name}[lte]".`;
  return /^(?:name|description|email)$/.test(field)
    ? `"${name}" must be equal, also in case. Try "${name}[contains]", or "search".`
    : undefined;
}

async function filterHint(
  name: string,
  text: string,
  isEmpty: boolean,
  inUse: (field: string) => Promise<string[]>,
): Promise<string | undefined> {
  const [, field = name, operator = ''] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
  const filter = { name, field, operator, text };
  if (/^(?:id|\w+Ids?)$/.test(field)) return idHint(filter);
  if (/^(?:status|priority)$/.test(field)) return valueHint(filter, isEmpty, inUse);
  return isEmpty ? textHint(filter) : undefined;
}

/** Returns what may be wrong with a response; `undefined` for nothing. @param inUse returns the values of a field that entities have. */
export async function hintFor(
  found: { readonly total?: number; readonly user?: unknown; readonly scopes?: readonly string[] },
  search: unknown,
  filters: Readonly<Record<string, unknown>>,
  inUse: (field: string) => Promise<string[]>,
): Promise<string | undefined> {
  if (found.user === null && found.scopes?.includes('users:read') === false)
    return '"user" is null because the token lacks the scope "users:read".';
  if (found.total === undefined) return undefined;
  const isEmpty = found.total === 0;
  for (const [name, value] of Object.entries(filters)) {
    const hint = await filterHint(name, String(value), isEmpty, inUse);
    if (hint !== undefined) return hint;
  }
  return isEmpty && / /.test(String(search ?? ''))
    ? 'Each word of "search" must match. Try fewer.'
    : undefined;
}
