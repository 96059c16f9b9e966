import type { ItemFields } from '../engine/model/entity.ts';
import { invalidRequest, type Problem } from './problems.ts';

const maxPageBytes = 5_500_000;

/**
 * Bytes of a page as a JSON string, in which a function's response carries it: quotation marks and backslashes take two bytes there.
 * Lambda allows 6 MB for the response.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxPayloadBytes = 6_000_000;

const tooLarge = (): Problem =>
  invalidRequest([
    {
      parameter: 'limit',
      detail: 'The page has more than 5.5 MB. Ask for fewer entities on a page, with a lower "limit".',
    },
  ]);

/**
 * Returns the JSON of an object with entities in `data`. It stops as soon as it is too large: the same large tags can be expanded in each entity.
 * @param rest the properties behind `data`: at least one.
 * @throws Problem 400 when the object is larger than a function can return.
 */
export function renderData(
  entities: readonly ItemFields[],
  show: (entity: ItemFields) => unknown,
  rest: object,
): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const entity of entities) {
    const json = JSON.stringify(show(entity));
    shown.push(json);
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > maxPageBytes) throw tooLarge();
  }
  const content = `{"data":[${shown.join(',')}],${JSON.stringify(rest).slice(1)}`;
  // At most every byte becomes two.
  if (2 * bytes > maxPayloadBytes && Buffer.byteLength(JSON.stringify(content)) > maxPayloadBytes) {
    throw tooLarge();
  }
  return content;
}
