/** Compares the fields of entities. */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a field of a copy is one of the service that a write sends. Those of libraries begin with `_` or `$`. */
const isSent = (field: string): boolean =>
  !['id', 'number', 'version', 'createdAt', 'updatedAt'].includes(field) && !/^[_$]/.test(field);

export const sentFields = (entity: object): Fields =>
  Object.fromEntries(Object.entries(entity).filter(([field]) => isSent(field)));

type Equality = (left: unknown, right: unknown) => boolean;

export const isIdentical: Equality = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Compares with a value of the service, which trims names. */
export const isStoredAs: Equality = (left, right) => {
  const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
  return isIdentical(trimmed(left), trimmed(right));
};

/** Returns the fields of an entity that have another value in another state of it. */
export const differences = (entity: object, other: object, isEqual: Equality): Fields =>
  Object.fromEntries(
    Object.entries(entity).filter(
      ([field, value]) => value !== undefined && !isEqual(value, (other as Fields)[field]),
    ),
  );

export const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
