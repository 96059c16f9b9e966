/** A client of the WebSocket protocol of AppSync Events, written from the documentation of AWS: it shares no code with the service or its client. */
import WebSocket from 'ws';

type Message = Readonly<Record<string, unknown>> & { readonly type: string };

export class LiveClient {
  readonly socket: WebSocket;
  /** The messages that nobody has waited for, in their order. */
  readonly received: Message[] = [];
  #notify = (): void => {};

  /** @param url of the service, with HTTP. @param headers of the handshake. */
  constructor(url: string, token?: string, headers: Readonly<Record<string, string>> = {}) {
    const { host } = new URL(url);
    const authorization = JSON.stringify({ host, ...(token && { Authorization: token }) });
    const protocols = ['aws-appsync-event-ws', `header-${Buffer.from(authorization).toString('base64url')}`];
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/event/realtime`, protocols, { headers });
    this.socket.on('message', (data) => {
      this.received.push(JSON.parse(String(data)) as Message);
      this.#notify();
    });
    this.socket.on('open', () => this.send({ type: 'connection_init' }));
    this.socket.on('close', () => this.#notify());
    this.socket.on('error', () => {});
  }

  /** Waits for a message of some types; for the end of the connection, the type is `closed`. */
  async next(...types: string[]): Promise<Message> {
    for (;;) {
      const place = this.received.findIndex(({ type }) => types.includes(type));
      const [found] = place < 0 ? [] : this.received.splice(place, 1);
      if (found) return found;
      if (this.socket.readyState === this.socket.CLOSED) return { type: 'closed' };
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }

  /** Waits for the response to the opening of the connection. */
  open(): Promise<Message> {
    return this.next('connection_ack', 'connection_error');
  }

  /** Subscribes to a channel. @returns the response. */
  async subscribe(channel: string, token?: string, id = channel.replaceAll(/[^\w]/g, '-')): Promise<Message> {
    this.send({ type: 'subscribe', id, channel, authorization: { ...(token && { Authorization: token }) } });
    return this.next('subscribe_success', 'subscribe_error');
  }

  /** Waits for the next poke. @returns its position. */
  async position(): Promise<number> {
    const { event } = await this.next('data');
    return (JSON.parse(String(event)) as { position: number }).position;
  }

  send(message: object | string): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  close(): void {
    this.socket.terminate();
  }
}
