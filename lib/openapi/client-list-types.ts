/** Generates the types of lists in the client from the document: filters, and what `expand`, `countBy` and `sumBy` add. */

import { pascal } from '../../functions/contract/contract.ts';
import { resources } from '../../functions/schema.ts';
import { currentParameters } from './resolve.ts';
import type { OpenApiDocument, Operation } from './types.ts';
import { arrayOf, comment, declaration, fieldType, optional, union } from './typescript.ts';

function toList(document: OpenApiDocument, name: string, list: Operation) {
  const { schemas } = document.components;
  const resolved = currentParameters(document, list).filter((parameter) => parameter.in === 'query');
  return {
    name,
    summary: list.summary,
    parameters: new Map(resolved.map((parameter) => [parameter.name, parameter])),
    entity: schemas[name] ?? {},
    counts: schemas[`${name}List`]?.properties?.['counts'] ?? {},
  };
}

type List = ReturnType<typeof toList>;

const namesIn = ({ parameters }: List, option: string): readonly string[] =>
  (parameters.get(option)?.schema.items?.enum ?? []) as string[];

function valueType({ entity }: List, name: string): string {
  const property = entity.properties?.[name] ?? {};
  return fieldType(name, property.items ?? property, true);
}

function filter(list: List, name: string): string {
  const operators = [...list.parameters.keys()].flatMap((parameter) =>
    parameter.startsWith(`${name}[`) ? [parameter.slice(name.length + 1, -1)] : [],
  );
  return optional(name, `Filter<${valueType(list, name)}, ${union(operators)}>`);
}

function expansion({ entity }: List, name: string): string {
  const { anyOf, items, description } = entity.properties?.[name] ?? {};
  const target = (items ?? anyOf?.[0])?.$ref?.split('/').at(-1) ?? '';
  const type = items ? arrayOf(target) : `${target} | null`;
  return `${comment(description, '  ')}  readonly ${name}: ${type};\n`;
}

function counts({ counts: { properties = {} } }: List, name: string): string {
  const { items, description } = properties[name] ?? {};
  const type = fieldType(name, items?.properties?.['value'] ?? {});
  return `${comment(description, '  ')}  readonly ${name}: readonly ValueCount<${type}>[];\n`;
}

function declarationsOf(list: List): string[] {
  const { name, parameters } = list;
  const fields = namesIn(list, 'fields').filter((field) => parameters.has(field));
  const added = (types: string, option: string, write: (one: string) => string): string =>
    declaration(`${name}${types}`, `What \`${option}\` adds.`, namesIn(list, option).map(write));
  return [
    declaration(
      `${name}Filters`,
      `Filters of "${list.summary}": for each field its exact value, or operators.`,
      fields.map((field) => filter(list, field)),
    ),
    added('Expansions', 'expand', (one) => expansion(list, one)),
    added('Counts', 'countBy', (one) => counts(list, one)),
    added('Sums', 'sumBy', (one) => `  readonly ${one}: number;\n`),
    declaration(`${name}Types`, `All types of the resource, for \`ListQuery<${name}Types>\`.`, [
      `  readonly entity: ${name};\n`,
      `  readonly new: New${name};\n`,
      `  readonly changes: ${name}Changes;\n`,
      `  readonly filters: ${name}Filters;\n`,
      `  readonly sort: ${union(namesIn(list, 'sortBy'))};\n`,
      `  readonly expansions: ${name}Expansions;\n`,
      `  readonly counts: ${name}Counts;\n`,
      `  readonly sums: ${name}Sums;\n`,
    ]),
  ];
}

/** Returns the declarations for all lists, and by type of entity the fields that `expand` adds. */
export function listTypes(document: OpenApiDocument): {
  readonly declarations: readonly string[];
  readonly expansions: Readonly<Record<string, readonly string[]>>;
} {
  const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const resource = resources.find(({ plural }) => path === `/v1/${plural}`);
    return get && resource ? [toList(document, pascal(resource.kind), get)] : [];
  });
  return {
    declarations: lists.flatMap(declarationsOf),
    expansions: Object.fromEntries(lists.map((list) => [list.name, namesIn(list, 'expand')])),
  };
}
