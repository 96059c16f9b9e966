import { randomUUID } from 'node:crypto';
import { md5Of, type SendMessageRequest, sendMessage } from '#lib/cloud-assembly/queue.ts';
import { startResponder } from './http-server.ts';

/** A queue that speaks the protocol of SQS. Messages that were received are hidden until they are given back. */
export interface TestQueue {
  /** For the variable AWS_ENDPOINT_URL_SQS. */
  readonly endpoint: string;
  readonly url: string;
  /** The bodies of the messages, the received ones too until they are deleted. */
  bodies(): string[];
  add(body: string): void;
  stop(): Promise<void>;
}

interface Message {
  readonly body: string;
  isHidden: boolean;
}

interface Request extends SendMessageRequest {
  readonly ReceiptHandle?: string;
  readonly MaxNumberOfMessages?: number;
  readonly VisibilityTimeout?: number;
}

function receive(messages: ReadonlyMap<string, Message>, { MaxNumberOfMessages = 1 }: Request) {
  const visible = [...messages].filter(([, { isHidden }]) => !isHidden).slice(0, MaxNumberOfMessages);
  for (const [, message] of visible) message.isHidden = true;
  const Messages = visible.map(([id, { body }]) => ({
    MessageId: id,
    ReceiptHandle: id,
    Body: body,
    MD5OfBody: md5Of(body),
  }));
  return { status: 200, body: Messages.length > 0 ? { Messages } : {} };
}

function respond(messages: Map<string, Message>, operation: string, request: Request) {
  const { ReceiptHandle = '', MessageBody = '' } = request;
  const done = { status: 200, body: {} };
  switch (operation) {
    case 'SendMessage': {
      const response = sendMessage(request);
      if (response.status === 200) messages.set(randomUUID(), { body: MessageBody, isHidden: false });
      return response;
    }
    case 'ReceiveMessage':
      return receive(messages, request);
    case 'DeleteMessage':
      messages.delete(ReceiptHandle);
      return done;
    case 'ChangeMessageVisibility': {
      const message = messages.get(ReceiptHandle);
      if (message) message.isHidden = request.VisibilityTimeout !== 0;
      return done;
    }
    default:
      throw new Error(`The queue has no operation ${operation}.`);
  }
}

export async function startTestQueue(): Promise<TestQueue> {
  const messages = new Map<string, Message>();
  const server = await startResponder(({ headers }, body) =>
    respond(messages, String(headers['x-amz-target']).split('.')[1] ?? '', JSON.parse(body)),
  );
  return {
    endpoint: server.url,
    url: `${server.url}/000000000000/unpublished`,
    bodies: () => [...messages.values()].map(({ body }) => body),
    add: (body) => messages.set(randomUUID(), { body, isHidden: false }),
    stop: server.stop,
  };
}
