/** The connection on which the service announces changes, by the protocol of AppSync Events. A client has one for all collections. */
import {
  type ClientOptions,
  Connection,
  isHidden,
  type Message,
  pause,
  pauseOf,
  type RequestOptions,
  visibilityChange,
  type WebSocketLike,
} from './connection.ts';
import { toBase64url } from './encoding.ts';
import { isProblem } from './problems.ts';

/** Where changes are announced, by the protocol of AppSync Events. */
export interface LiveChannels {
  readonly url: string;
  /** The `host` of the authorization in the messages of the protocol. */
  readonly host: string;
  /** The endpoint that libraries for AppSync Events are configured with. */
  readonly endpoint: string;
  /** The channels that the token allows, by collection. */
  readonly channels: Readonly<Record<string, string>>;
  /** By collection, those whose changes can also change what the caller sees of it. */
  readonly seenThrough?: Readonly<Record<string, readonly string[]>>;
  /** Wait for a random part of so many milliseconds before you ask for what was announced. */
  readonly spreadMs: number;
}

/** Receives the announcements of one collection, for example `tasks`. */
export interface Follower {
  readonly collection: string;
  /** Is called, perhaps several times, with `spreadMs` while changes are announced, and otherwise with `undefined`. */
  onLive(spreadMs: number | undefined): void;
  /** Is called with a position that the change log has reached. */
  onPoke(position: number): void;
  /** Is called when a change of another collection can have changed what the caller sees of this one. */
  onSight(): void;
  /** Is called after a write of this client. @param sentAt by `performance.now()`. */
  onWrite(sentAt: number): void;
}

type OnChange = (poke?: { readonly collection: string; readonly position: number }) => void;

type WebSocketClass = NonNullable<ClientOptions['webSocket']>;

/** The service sends a message at least every 60 s. */
const maxSilenceMs = 75_000;

/** AppSync ends a connection after 24 hours. */
const maxLifeMs = 86_400_000;

/** The pause after the service has said that it announces nothing. */
const offPauseMs = 3_600_000;

/** Returns when to renew a connection: a minute before its token ends, or a tenth of its life if that is less. */
function renewalMsOf(token = ''): number {
  let lifeMs = 0;
  try {
    const claims = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
    lifeMs = 1_000 * (JSON.parse(claims) as { exp: number }).exp - Date.now();
  } catch {
    // The token is no JWT, or this is an older React Native.
  }
  // A token that has ended, and is accepted, shows that the clock of the device is wrong.
  lifeMs = lifeMs > 0 ? Math.min(lifeMs, maxLifeMs) : maxLifeMs;
  return Math.max(lifeMs - Math.min(60_000, lifeMs / 10), 1_000);
}

/** One connection. */
class LiveSocket {
  /** Whether the service has accepted the subscription to a collection; `undefined` until it responds. */
  readonly subscriptions = new Map<string, boolean | undefined>();
  readonly live: LiveChannels;
  readonly #end = new AbortController();
  readonly ended = this.#end.signal;
  readonly #authorization: object;
  readonly #socket: WebSocketLike;
  readonly #onChange: OnChange;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #isAcknowledged = false;

  constructor(webSocket: WebSocketClass, live: LiveChannels, token = '', onChange: OnChange) {
    this.live = live;
    this.#authorization = { host: live.host, ...(token && { Authorization: token }) };
    this.#onChange = onChange;
    const header = `header-${toBase64url(JSON.stringify(this.#authorization))}`;
    this.#socket = new webSocket(live.url, ['aws-appsync-event-ws', header]);
    this.#hear();
    this.#socket.addEventListener('open', () => this.#send({ type: 'connection_init' }));
    this.#socket.addEventListener('message', this.#receive);
    this.#socket.addEventListener('close', this.close);
    this.#socket.addEventListener('error', this.close);
  }

  /** Whether the service has responded to everything. */
  get isComplete(): boolean {
    return this.#isAcknowledged && ![...this.subscriptions.values()].includes(undefined);
  }

  /** Subscribes to a collection, whose name is the id of the subscription. */
  subscribe(id: string): void {
    const channel = this.live.channels[id];
    if (!channel || !this.#isAcknowledged || this.subscriptions.has(id)) return;
    this.subscriptions.set(id, undefined);
    this.#send({ type: 'subscribe', id, channel, authorization: this.#authorization });
  }

  readonly close = (): void => {
    if (this.ended.aborted) return;
    this.#end.abort();
    clearTimeout(this.#silence);
    this.#socket.close();
    this.#onChange();
  };

  #send(message: object): void {
    if (!this.ended.aborted) this.#socket.send(JSON.stringify(message));
  }

  #hear(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.close, maxSilenceMs);
  }

  readonly #receive = ({ data }: { readonly data?: unknown }): void => {
    if (this.ended.aborted) return;
    try {
      const { type, id = '', event } = JSON.parse(String(data)) as Record<string, string>;
      // A service that leaves a subscription without a response counts as silent.
      if (type !== 'ka' || this.isComplete) this.#hear();
      if (type === 'data') this.#onChange({ collection: id, ...JSON.parse(String(event)) });
      else if (type === 'connection_ack') this.#isAcknowledged = true;
      else if (type === 'subscribe_success') this.subscriptions.set(id, true);
      else if (type === 'subscribe_error' || (type === 'error' && id)) this.subscriptions.set(id, false);
      else if (type === 'connection_error' || type === 'error') this.close();
      this.#onChange();
    } catch {
      // The message is not of the protocol.
      this.close();
    }
  };
}

/** Sends requests, and tells followers what the service announces: on one connection, while there are followers. */
export class LiveConnection extends Connection {
  readonly #followers = new Set<Follower>();
  /** The connection, and while it is renewed the next one. */
  #sockets: readonly LiveSocket[] = [];
  /** Aborts when there are no followers. */
  #stop = new AbortController();
  /** Until then, by `performance.now()`, the service announces nothing. */
  #offUntil = 0;

  override async send(message: Message): ReturnType<Connection['send']> {
    const sentAt = performance.now();
    // The service can have applied a write whose response is lost.
    return super.send(message).finally(() => {
      if (message.method === 'GET') return;
      for (const follower of this.#followersOf(message.path.split('/')[2])) follower.onWrite(sentAt);
    });
  }

  async channels({ signal }: RequestOptions): Promise<LiveChannels> {
    const { body } = await this.send({ method: 'GET', path: '/v1/live', signal });
    return body as LiveChannels;
  }

  /** Follows a collection. @returns a function that ends this. @throws Error if there is no `WebSocket`. */
  follow(follower: Follower): () => void {
    const { webSocket = globalThis.WebSocket } = this.options;
    if (!webSocket)
      throw new Error(
        'The option "live" needs a WebSocket: set "webSocket" of the client, or use Node.js 22.',
      );
    this.#followers.add(follower);
    if (this.#followers.size > 1) this.#update();
    else {
      this.#stop = new AbortController();
      void this.#stayConnected(webSocket, this.#stop.signal);
    }
    return () => {
      if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
      this.#stop.abort();
      for (const socket of this.#sockets) socket.close();
    };
  }

  #tell(
    { seenThrough = {} }: LiveChannels,
    { collection, position }: NonNullable<Parameters<OnChange>[0]>,
  ): void {
    for (const follower of this.#followers) {
      if (follower.collection === collection) follower.onPoke(position);
      if (seenThrough[follower.collection]?.includes(collection)) follower.onSight();
    }
  }

  #followersOf(collection: string | undefined): readonly Follower[] {
    return [...this.#followers].filter((follower) => follower.collection === collection);
  }

  /** Opens a connection, and the next one when it has ended or is to be renewed. */
  async #stayConnected(webSocket: WebSocketClass, signal: AbortSignal): Promise<void> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const startedAt = performance.now();
      if (isHidden() || this.#offUntil > startedAt) await this.#untilUseful(signal).catch(() => undefined);
      try {
        const live = await this.channels({ signal });
        const token = await this.token(signal);
        if (signal.aborted) return;
        const socket = new LiveSocket(webSocket, live, token, (poke) => {
          if (poke) this.#tell(live, poke);
          else this.#update();
        });
        this.#sockets = [...this.#sockets, socket];
        await pause(renewalMsOf(token), socket.ended);
      } catch (error) {
        if (isProblem(error) && error.problem.status === 404) this.#offUntil = performance.now() + offPauseMs;
        if (performance.now() - startedAt > maxSilenceMs) failures = 1;
        await pause(pauseOf(failures, 1_000), signal).catch(() => undefined);
      }
    }
  }

  /** Waits while the service announces nothing, or the page is hidden. @throws the reason of the signal. */
  async #untilUseful(signal: AbortSignal): Promise<void> {
    await pause(this.#offUntil - performance.now(), signal);
    while (isHidden()) await visibilityChange(signal);
  }

  /** Subscribes to what has followers, closes what is renewed, and tells followers whether they are live. */
  #update(): void {
    this.#sockets = this.#sockets.filter(({ ended }) => !ended.aborted);
    const newest = this.#sockets.at(-1);
    for (const { collection } of this.#followers)
      for (const id of [collection, ...(newest?.live.seenThrough?.[collection] ?? [])]) newest?.subscribe(id);
    if (newest?.isComplete) for (const socket of this.#sockets.slice(0, -1)) socket.close();
    for (const follower of this.#followers) {
      const socket = this.#sockets.find(({ subscriptions }) => subscriptions.get(follower.collection));
      follower.onLive(socket?.live.spreadMs);
    }
  }
}
