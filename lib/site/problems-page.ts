/** The page that explains each problem. The `type` of a problem is an address on it. */
import { STATUS_CODES } from 'node:http';
import { catalogue, type ProblemCode } from '../../functions/http/problems.ts';
import { problemCodes, problemExample } from '../openapi/problem-examples.ts';
import { explanations } from '../openapi/problem-explanations.ts';
import { block } from './operation-page.ts';

const shownHeaders = ['content-type', 'allow', 'retry-after'];

function httpText(code: ProblemCode): string {
  const { status } = catalogue[code];
  const { headers, body } = problemExample(code);
  const lines = shownHeaders.filter((name) => name in headers).map((name) => `${name}: ${headers[name]}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', JSON.stringify(body, null, 2)].join(
    '\n',
  );
}

function section(code: ProblemCode): string {
  const { status, title } = catalogue[code];
  const { meaning, remedy } = explanations[code];
  return `## ${title} {#${code}}

Status ${status}, \`${code}\`. ${meaning}

**What to do:** ${remedy}

${block('http', httpText(code))}`;
}

export const problemsPage = (): string => `# Problems

Every error of the service is an \`application/problem+json\` document (RFC 9457). Its \`type\` links to a section of this page, \`detail\`
describes the error, \`errors\` locates it, and \`requestId\` identifies the request in the log.

The gateway rejects some requests before they reach the service: 401 without a valid token, 403 without the scope of the
operation, and 429 for too many simultaneous requests. The body of these responses is \`{ "message": … }\`.

${problemCodes.map(section).join('\n\n')}
`;
