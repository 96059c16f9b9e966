import type * as v from 'valibot';
import { type Contract, needsToken } from '../contract/contract.ts';
import type { HistoryPlace } from '../engine/feed/list-history.ts';
import type { ExpectedVersions, ItemFields } from '../engine/model/entity.ts';
import type { ListQuery } from '../engine/model/list-query.ts';
import type { Session } from '../engine/table/session.ts';
import { readEntities } from '../engine/table/stored-entities.ts';
import { requireScope } from './caller.ts';
import { type EntityView, expandedReferences } from './entity-view.ts';
import type { Caller, Handler } from './middleware.ts';
import { type ReadChangesQuery, requireNoParameters } from './parse-list-query.ts';
import { pipeline } from './pipeline.ts';
import { rateLimit } from './rate-limit.ts';
import { type Renderer, renderValue } from './renderers.ts';
import type { Results } from './results.ts';
import { openSession, type SessionEvent } from './session.ts';

interface Request<C extends Contract> {
  readonly session: Session;
  readonly caller: Caller;
  /** The id in the path; '' where the path has none. */
  readonly id: string;
  readonly expected: ExpectedVersions;
  readonly body: C extends { body: { schema: () => v.GenericSchema<unknown, infer Value> } }
    ? Value
    : undefined;
  /** The query of a list. The parent of a nested list is one of its filters. */
  readonly query: C extends { success: 'list' | 'changes' | 'deletedList' } ? ListQuery : undefined;
  /** The cursor of a change feed; `undefined` for its first page. */
  readonly since: C extends { success: 'changes' } ? ReadChangesQuery['since'] : undefined;
  /** The hash of the query of a change feed: part of its cursors. */
  readonly cursorHash?: Buffer | undefined;
  readonly place: C extends { success: 'history' } ? HistoryPlace : undefined;
  readonly view: EntityView;
}

type Parameters = Pick<Request<Contract>, 'view'> &
  Partial<Record<Exclude<keyof Request<Contract>, 'session' | 'view'>, unknown>>;

/** What differs between operations: so a bundle has the code of its own operation. */
interface Handling<Result> {
  /** Returns what the parameters of a request say. By default, there must be none. @throws Problem 400. */
  readonly readQuery?: (contract: Contract, rawQueryString: string, id: string) => Parameters;
  /** Returns what only writes read: the body, the accepted versions and the session with its key. @throws Problem 400, 403, 413 or 415. */
  readonly readWrite?: (contract: Contract, event: SessionEvent, id: string) => Promise<object>;
  /** By default, the value itself is rendered as that of a read. */
  readonly render?: Renderer<Result>;
}

function withoutParameters(_: Contract, rawQueryString: string): Parameters {
  requireNoParameters(rawQueryString);
  return { view: { expansions: [] } };
}

/** @throws Problem 400 or 403 that says what is wrong. */
async function readRequest<C extends Contract>(
  contract: C,
  event: SessionEvent,
  { readQuery = withoutParameters, readWrite }: Pick<Handling<never>, 'readQuery' | 'readWrite'>,
): Promise<Request<C>> {
  const id = event.pathParameters?.['id'] ?? '';
  const { view, ...query } = readQuery(contract, event.rawQueryString, id);
  // The scope of the operation allows reading its own resource only.
  for (const { target } of view.expansions) requireScope(event.caller, `${target.plural}:read`);
  const { session, caller } = event;
  const written = await readWrite?.(contract, event, id);
  // The types of `body` and `query` follow from the contract, which TypeScript cannot see in the values.
  return { session, caller, id, ...query, view, ...written } as Request<C>;
}

function entitiesOf(result: unknown): readonly ItemFields[] {
  const { entities, entity } = result as Partial<Results['list'] & Results['entity']>;
  return entities ?? (entity ? [entity] : []);
}

async function readExpanded(session: Session, view: EntityView, result: unknown) {
  if (view.expansions.length === 0) return new Map();
  const references = expandedReferences(view, entitiesOf(result));
  const { readReferenced } = result as Partial<Results['list']>;
  const byKey = () => references.flatMap(({ kind, ids }) => ids.map((id) => ({ kind, id })));
  return session.database.readRequested(() =>
    readReferenced ? readReferenced(references) : readEntities(session, byKey()),
  );
}

export function endpoint<const C extends Contract>(
  contract: C,
  run: (request: Request<C>) => Promise<Results[C['success']]>,
  { render = renderValue as Renderer<unknown>, ...reading }: Handling<Results[C['success']]> = {},
): Handler {
  const isGuarded = needsToken(contract);
  // Operations without a tenant have a low limit of the gateway.
  const limits = isGuarded ? [rateLimit(contract.operation)] : [];
  return pipeline(contract.operation, [openSession(isGuarded), ...limits], async (event: SessionEvent) => {
    const request = await readRequest(contract, event, reading);
    const result = await run(request);
    const { id, session, query, cursorHash, view } = request;
    const expanded = await readExpanded(session, view, result);
    return render({ contract, event, id, session, query, cursorHash, view, expanded }, result);
  });
}
