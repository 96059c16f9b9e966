/** The methods of each path, as text of an environment variable. All variables of a function have at most 4 KB. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

type MethodsByPath = Readonly<Record<string, readonly string[]>>;

export const packRoutes = (routes: MethodsByPath): string =>
  deflateRawSync(JSON.stringify(routes)).toString('base64');

export const unpackRoutes = (text: string): MethodsByPath =>
  JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()) as MethodsByPath;
