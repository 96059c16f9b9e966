import type { list, listOf } from '../contract/contract.ts';
import { listEntities } from '../engine/lists/list-entities.ts';
import type { Filter } from '../engine/model/list-query.ts';
import { endpoint } from './endpoint.ts';
import { meIsNoId } from './operands.ts';
import { readListQuery } from './parse-list-query.ts';
import { invalidRequest } from './problems.ts';
import { renderList } from './render-list.ts';

function filtersOf(nestedBy: string | undefined, id: string): Filter[] {
  if (nestedBy === undefined) return [];
  if (id === 'me') throw invalidRequest([{ parameter: 'id', detail: `"id" ${meIsNoId}` }]);
  return [{ field: nestedBy, operator: 'eq', values: [id] }];
}

export const listEndpoint = (contract: ReturnType<typeof list | typeof listOf>) =>
  endpoint(contract, ({ session, query }) => listEntities(session, contract.resource.kind, query), {
    readQuery: ({ nestedBy }, rawQueryString, id) =>
      readListQuery(contract.resource, rawQueryString, filtersOf(nestedBy, id)),
    render: renderList,
  });
