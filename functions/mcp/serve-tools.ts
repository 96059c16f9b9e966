/**
 * `POST /mcp`: the API as tools for agents. Each call of a tool is a request to the public address of the API, with the token of the caller: scopes, tenant, viewer,
 * rate limit and log are those of the request. The function has no right to the table.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Connection } from '../../client/connection.ts';
import { agentServer, offeredTools } from '../../client/mcp/agent-server.ts';
import { pipeline } from '../http/pipeline.ts';
import { environment } from '../runtime/environment.ts';
import { toolsPath } from './paths.ts';

/** Attempts of a request to the API, and the milliseconds of each: together less than the gateway waits. */
const patience = { tries: 2, timeout: 11_000 };

function serverFor(request: Request | undefined) {
  const token = request?.headers.get('authorization')?.replace(/^Bearer /i, '');
  return agentServer(new Connection({ url: environment.apiUrl(), token, ...patience }), offeredTools());
}

/** A response is one document: a tool sends no message before its result, and there is nothing to subscribe to, whose stream would be held until it ends. */
const current = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), {
  legacy: 'reject',
  maxSubscriptions: 0,
});

/** Serves a request of the present revision, or of one before, which began with a handshake. */
async function serve(request: Request): Promise<Response> {
  if (!(await isLegacyRequest(request))) return current.fetch(request);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await serverFor(request).connect(transport);
  return transport.handleRequest(request);
}

/** Refuses pages that the settings do not allow, as the specification demands. Programs send no origin. */
function refusalOf(request: Request): Response | undefined {
  const allowed = environment.allowedOrigins();
  if (allowed.includes('*')) return undefined;
  return originValidationResponse(
    request,
    allowed.map((origin) => new URL(origin).hostname),
  );
}

export const handler = pipeline('serveTools', [], async ({ headers, body, isBase64Encoded }) => {
  const request = new Request(environment.apiUrl() + toolsPath, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8'),
  });
  const response = refusalOf(request) ?? (await serve(request));
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
});
