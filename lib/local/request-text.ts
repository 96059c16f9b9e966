import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

interface TextRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds until the request fails. */
  readonly maxMs: number;
}

/**
 * Sends a request. `fetch` would not send it to the ports that the Fetch Standard blocks, on which the engines listen.
 * @returns the body of the response, whatever its status is.
 * @throws Error when there is no response in time.
 */
export async function requestText(
  url: string,
  { method = 'GET', headers = {}, body, maxMs }: TextRequest,
): Promise<string> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const options = { method, headers, agent: false, signal: AbortSignal.timeout(maxMs) } as const;
  const sent = request(url, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}
