import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { Service } from '../../../lib/local/service.ts';
import { committedFile } from '../../../lib/openapi/committed-document.ts';
import type { OpenApiDocument, Schema } from '../../../lib/openapi/types.ts';
import { startTestService } from '../../support/local-service.ts';
import { ResponseChecker } from '../../support/response-checker.ts';
import { type Case, cases, KnownId } from './cases.ts';

/** The running service against the document alone: nothing here knows a contract or a resource. */

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
const declared = new ResponseChecker(document);
let service: Service;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

/** The ids that creations gave, by kind; the newest are the likeliest to be there still. */
const known = new Map<string, string[]>();

function filled(value: unknown): unknown {
  if (value instanceof KnownId) {
    const all = known.get(value.kind) ?? [];
    return all[value.choice % all.length] ?? value.otherwise;
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, filled(field)]));
}

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly path: string;
}

async function send({
  method,
  path,
  pathValues,
  query,
  headers,
  body,
  rawBody,
  mediaType,
}: Case): Promise<Answer> {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(filled(pathValues[name]))),
  );
  const parameters = query.map(([name, value]): [string, string] => [name, String(filled(value))]);
  const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(filled(body)));
  const content = sent === undefined ? {} : { 'content-type': mediaType ?? 'application/json' };
  const answer = await fetch(`${service.url}${target}?${new URLSearchParams(parameters)}`, {
    method,
    headers: { ...(filled(headers) as Record<string, string>), ...content },
    ...(sent && { body: sent }),
  });
  return { status: answer.status, headers: new Map(answer.headers), text: await answer.text(), path: target };
}

/** Keeps the ids of what was created, and forgets those of what is gone. */
function remember({ operation, pathValues }: Case, { status, text, path }: Answer): void {
  const kind = operation.tags[0]?.toLowerCase().replace(/s$/, '') ?? '';
  if (status === 201)
    known.set(kind, [(JSON.parse(text) as { id: string }).id, ...(known.get(kind) ?? [])].slice(0, 8));
  if (status === 204 || (status === 404 && 'id' in pathValues)) {
    for (const [one, all] of known)
      known.set(
        one,
        all.filter((id) => !path.includes(id)),
      );
  }
}

/** Whether a refusal is for a reason that no schema can say: what is referred to is gone, or a key is used again. */
function isForeseen({ operation, headers }: Case, { status, text }: Answer): boolean {
  if (status === 422) return Object.keys(headers).some((name) => name === 'Idempotency-Key');
  if (status !== 400 || text === '') return false;
  const { $ref = '' } = operation.requestBody?.content['application/json']?.schema ?? {};
  const { properties = {} } = document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
  const refers = ({ items, ...schema }: Schema): boolean =>
    'x-reference' in schema || (items ? refers(items) : false);
  const { errors = [] } = JSON.parse(text) as { errors?: readonly { pointer?: string }[] };
  return errors.every(({ pointer = '' }) => refers(properties[pointer.split('/')[1] ?? ''] ?? {}));
}

/**
 * Sends a request, and holds the answer against the document.
 * @returns what kind of answer it was: its hundred, or that it was refused as it should be.
 */
async function kindOfAnswer(one: Case): Promise<string> {
  const answer = await send(one);
  const { method, operation, wrong } = one;
  const said = `${operation.operationId} (${wrong ?? 'as declared'}): ${answer.status} ${answer.text.slice(0, 500)}`;
  expect(answer.status < 500 ? '' : said).toBe('');
  expect(declared.differences({ method, ...answer })).toEqual([]);
  remember(one, answer);
  if (wrong !== undefined) {
    expect(answer.status < 400 ? said : '').toBe('');
    return 'refused';
  }
  const isRefused = [400, 413, 415, 422].includes(answer.status);
  expect(isRefused && !isForeseen(one, answer) ? said : '').toBe('');
  return String(answer.status).replace(/..$/, 'xx');
}

test('5,000 requests made from the document are answered as it says', async () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const kinds = new Map(operations.map(({ operationId }) => [operationId, new Set<string>()]));
  const sendThousand = () =>
    fc.assert(
      fc.asyncProperty(cases(document), async (one) => {
        kinds.get(one.operation.operationId)?.add(await kindOfAnswer(one));
      }),
      { numRuns: 1_000, endOnFailure: true },
    );
  /** Operations that have not succeeded yet, or refused nothing. Among 5,000 requests few successes of one are not rare. */
  const untried = (): string[] =>
    [...kinds].flatMap(([id, had]) => (had.has('2xx') && had.has('refused') ? [] : [id]));
  for (let turn = 1; turn <= 5 || (turn <= 10 && untried().length > 0); turn += 1) await sendThousand();
  expect(untried()).toEqual([]);
}, 300_000);
