/** Views: which fields of entities a response shows, and which references it expands. */
import type { Expansion, Resource } from '../contract/resource.ts';
import type { ItemFields } from '../engine/model/entity.ts';
import { invalidRequest } from './problems.ts';

export interface EntityView {
  readonly fields?: ReadonlySet<string> | undefined;
  readonly expansions: readonly Expansion[];
  readonly withEtags?: boolean | undefined;
}

const idsOf = ({ field, isArray }: Expansion, entity: ItemFields): readonly string[] => {
  const value = entity[field];
  if (isArray) return Array.isArray(value) ? value : [];
  return typeof value === 'string' ? [value] : [];
};

/**
 * Different entities that one response expands. Each costs a read unit, and 100 descriptions of 40 KB cost 500: together less than 1,000.
 */
export const maxExpandedEntities = 400;

/**
 * Returns the references that a view expands.
 * @throws Problem 400 when there are more than 400.
 */
export function expandedReferences({ expansions }: EntityView, entities: readonly ItemFields[]) {
  const kinds = new Set(expansions.map(({ target }) => target.kind));
  const ofKinds = [...kinds].map((kind) => {
    const ofKind = expansions.filter(({ target }) => target.kind === kind);
    const ids = new Set(ofKind.flatMap((one) => entities.flatMap((entity) => idsOf(one, entity))));
    return { kind, ids: [...ids], fields: new Set(ofKind.flatMap(({ shown }) => [...shown])) };
  });
  const count = ofKinds.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count > maxExpandedEntities) {
    const detail = `"expand" adds ${count} different entities to this page; at most ${maxExpandedEntities} are allowed. Ask for fewer entities on a page, with a lower "limit".`;
    throw invalidRequest([{ parameter: 'limit', detail }]);
  }
  return ofKinds;
}

/** Returns what an expansion adds to an entity. A deleted entity is null. In an array, it is absent. */
function expanded(expansion: Expansion, entity: ItemFields, found: ReadonlyMap<string, ItemFields>): unknown {
  const { isArray, target, shown: fields } = expansion;
  const entities = idsOf(expansion, entity).flatMap((id) => found.get(id) ?? []);
  const shown = entities.map((one) => target.show(one, fields));
  return isArray ? shown : (shown[0] ?? null);
}

/** Returns what a response shows of an entity. The expanded entity follows the field of its reference. */
export function showEntity(
  resource: Resource,
  entity: ItemFields,
  { fields, expansions }: EntityView,
  found: ReadonlyMap<string, ItemFields>,
): Readonly<Record<string, unknown>> {
  const shown = resource.show(entity, fields);
  if (expansions.length === 0) return shown;
  const byField = new Map(expansions.map((expansion) => [expansion.field, expansion]));
  const whole: Record<string, unknown> = {};
  for (const field of resource.fieldNames) {
    if (field in shown) whole[field] = shown[field];
    const expansion = byField.get(field);
    if (expansion) whole[expansion.name] = expanded(expansion, entity, found);
  }
  return whole;
}
