/**
 * The messages of the WebSocket protocol of AppSync Events that clients send.
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/event-api-websocket-protocol.html
 */
import * as v from 'valibot';

/** The paths of an Event API: of publishing, and of connections. */
export const publishPath = '/event';
export const realtimePath = `${publishPath}/realtime`;

export const protocolName = 'aws-appsync-event-ws';

/** Characters of a message, at most: an event has 240 KB. */
export const maxMessageLength = 240 * 1_024;

/** Milliseconds between two keep-alive messages, and without one after which a client must close. */
export const keepAliveMs = 60_000;
export const connectionTimeoutMs = 300_000;

const id = v.pipe(v.string(), v.regex(/^[\w+-]{1,128}$/));

/** Both spellings are in the documentation and in clients of AWS. */
const authorization = v.optional(
  v.object({ Authorization: v.optional(v.string()), authorization: v.optional(v.string()) }),
);

const message = v.variant('type', [
  v.object({ type: v.literal('connection_init') }),
  v.object({ type: v.literal('subscribe'), id, channel: v.string(), authorization }),
  v.object({ type: v.literal('unsubscribe'), id }),
  v.object({ type: v.literal('publish'), id }),
]);

export type ClientMessage = v.InferOutput<typeof message>;

export type ProtocolError = typeof unauthorized;

export const unauthorized = {
  errorType: 'UnauthorizedException',
  message: 'You are not authorized to make this call.',
};

export const badRequest = (text: string): ProtocolError => ({
  errorType: 'BadRequestException',
  message: text,
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a message of a client; `undefined` when it is none of the protocol. */
export function parseMessage(text: string): ClientMessage | undefined {
  const { success, output } = v.safeParse(message, parseJson(text));
  return success ? output : undefined;
}

/** Returns the token in an authorization; `undefined` without one. */
export const tokenOf = (value: ClientMessage & { readonly type: 'subscribe' }): string | undefined =>
  value.authorization?.Authorization ?? value.authorization?.authorization;

/** Returns the token of a connection, which is in the name of a subprotocol: a browser sends no headers of its own with a WebSocket. */
export function connectionToken(protocols: Iterable<string>): string | undefined {
  const header = [...protocols].find((name) => name.startsWith('header-'))?.slice('header-'.length) ?? '';
  const parsed = parseJson(Buffer.from(header, 'base64url').toString());
  const { Authorization, authorization: lower } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  const token = Authorization ?? lower;
  return typeof token === 'string' ? token : undefined;
}

const segment = /^[A-Za-z\d](?:[A-Za-z\d-]{0,48}[A-Za-z\d])?$/;

/** Returns the path of a channel, with a slash at its beginning; `undefined` when no channel can have it. A subscription can end with a wildcard. */
export function channelPath(channel: string): string | undefined {
  const segments = channel.replace(/^\//, '').replace(/\/$/, '').split('/');
  const isWild = segments.length > 1 && segments.at(-1) === '*';
  const named = isWild ? segments.slice(0, -1) : segments;
  return segments.length <= 5 && named.every((one) => segment.test(one))
    ? `/${segments.join('/')}`
    : undefined;
}
