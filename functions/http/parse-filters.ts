/** Filters of lists: `field=value` is an exact match, and `field[operator]=value` any other comparison. */
import { type ListField, type ListOperator, operatorsOfSeveralValues } from '../contract/list-fields.ts';
import type { Filter } from '../engine/model/list-query.ts';
import { exactFilter, InvalidOperand, toFilter } from './operands.ts';
import { exactMatchNames, otherOperatorNames, otherParameterNames, rangeNames } from './other-names.ts';
import type { Parameters, Separation } from './query-parameters.ts';
import { type ListFields, suggestFilter, suggestPresence } from './suggest-filter.ts';
import { didYouMean, findNearestName, quoted, simplify, suggestion } from './suggestion.ts';

export const maxFilters = 20;

function splitName(parameter: string) {
  const start = parameter.indexOf('[');
  if (start < 0 || !parameter.endsWith(']')) return { field: parameter };
  return { field: parameter.slice(0, start), operator: parameter.slice(start + 1, -1) };
}

/** Returns what a caller probably means with an operator that the field does not take; '' when nothing is likely. */
function suggestOperator(operator: string, field: ListField): string {
  const { name, operators } = field;
  if (rangeNames.includes(simplify(operator)) && operators.includes('gte')) {
    return `A range has two filters: ${name}[gte] and ${name}[lte]. `;
  }
  const nearest =
    suggestPresence(operator, field) ?? findNearestName(operator, operators, otherOperatorNames);
  return nearest === undefined ? '' : `${didYouMean(nearest)} `;
}

function describeOperator(field: ListField, operator: string): string {
  const { name, type, operators } = field;
  const known = `${quoted(name)} (${type}) takes ${operators.join(', ')}.`;
  if (exactMatchNames.includes(simplify(operator))) {
    return `An exact match has no operator: ${name}=value. ${known}`;
  }
  return `${quoted(operator)} is not an operator of this field. ${suggestOperator(operator, field)}${known}`;
}

/** Returns why a parameter is no filter; `undefined` when it is one. */
export function checkFilterName(
  parameter: string,
  fields: ListFields,
  known: readonly string[],
): string | undefined {
  const { field, operator } = splitName(parameter);
  const listField = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!listField) {
    const filter = suggestFilter(parameter, fields);
    const hint =
      filter === undefined ? suggestion(parameter, known, otherParameterNames) : didYouMean(filter);
    return `${quoted(parameter)} is not a parameter here. ${hint}`;
  }
  if (operator === undefined || (listField.operators as readonly string[]).includes(operator))
    return undefined;
  return describeOperator(listField, operator);
}

/** Returns how the values of a filter are separated; `undefined` for one that has one value. */
export function filterSeparation(parameter: string, fields: ListFields): Separation | undefined {
  const { field, operator = '' } = splitName(parameter);
  if (!operatorsOfSeveralValues.has(operator)) return undefined;
  return fields[field]?.isFreeText ? 'literal comma' : 'comma';
}

/** Returns how to compare a field with several values, for a parameter that occurs with several; '' when there is no way. */
export function severalValuesHint(parameter: string, fields: ListFields): string {
  const { field, operator } = splitName(parameter);
  if (!Object.hasOwn(fields, field)) return '';
  if (operator === 'ne') return ` ${field}[notIn]=a,b excludes several values.`;
  if (operator !== undefined) return '';
  return fields[field]?.type === 'list of references'
    ? ` ${field}[all]=a,b matches both values, and ${field}[in]=a,b matches either.`
    : ` ${field}[in]=a,b matches either value.`;
}

/** Returns the filters among parameters, in the order of the fields. */
export function readFilters(parameters: Parameters, fields: ListFields): Filter[] {
  const named = [...parameters].filter(([name]) => Object.hasOwn(fields, splitName(name).field));
  const excess = named[maxFilters];
  if (excess) {
    const detail = `The query has ${named.length} filters; at most ${maxFilters} are allowed. This is the first one above the limit.`;
    parameters.refuse(excess[0], detail);
  }
  const filters: Filter[] = [];
  for (const [parameter, values] of named) {
    const { field, operator } = splitName(parameter);
    try {
      const listField = fields[field] as ListField;
      filters.push(
        operator === undefined
          ? exactFilter(listField, values)
          : toFilter(listField, operator as ListOperator, values),
      );
    } catch (error) {
      if (!(error instanceof InvalidOperand)) throw error;
      parameters.refuse(parameter, `${quoted(parameter)} ${error.message}`);
    }
  }
  const order = Object.keys(fields);
  return filters.sort((one, other) => order.indexOf(one.field) - order.indexOf(other.field));
}
