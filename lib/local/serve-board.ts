import { fileURLToPath } from 'node:url';
import { context } from 'esbuild';
import { localGrant } from '../tokens/local-grant.ts';
import { issuerOf } from '../tokens/local-token.ts';
import { loopback } from './port.ts';

const root = new URL('../../', import.meta.url);
const pathOf = (path: string): string => fileURLToPath(new URL(path, root));

/**
 * Serves the board, with tokens of the issuer that runs beside the service, if one does.
 * @param port 0 selects any free port.
 * @throws Error when the port cannot be used.
 */
export async function serveBoard(serviceUrl: string, port: number) {
  const issuer = await issuerOf(serviceUrl);
  const tokenRequest = issuer ? { url: `${issuer}/token`, form: String(localGrant()) } : null;
  const build = await context({
    entryPoints: [pathOf('examples/board/board.ts')],
    outdir: pathOf('examples/board'),
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    define: { serviceUrl: JSON.stringify(serviceUrl), tokenRequest: JSON.stringify(tokenRequest) },
    // An app outside this repository installs the package.
    alias: { 'project-management-client': pathOf('client/index.ts') },
    logLevel: 'silent',
  });
  try {
    const { port: actual } = await build.serve({ servedir: pathOf('examples/board'), host: loopback, port });
    return { url: `http://localhost:${actual}`, stop: () => build.dispose() };
  } catch (cause) {
    await build.dispose();
    throw new Error(
      `The board cannot listen on port ${port}: another program may use it. Choose another one: npx pm-api board --port ${port + 1}`,
      { cause },
    );
  }
}
