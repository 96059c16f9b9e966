/** Names of files that contain a hash of the content, such as `site.2fA9-x_Q1b.css`: caches may keep such a file for ever. */
import { contentTag } from './entity-tags.ts';

const hashLength = 10;

export const hashedName = (name: string, content: string | Buffer): string =>
  name.replace(/\.(?=\w+$)/, `.${contentTag(content).slice(1, 1 + hashLength)}.`);

/** Returns the name without its hash, and the hash. A name without one is returned as it is. */
export function splitHashedName(file: string): { readonly name: string; readonly hash?: string } {
  const [, stem, hash, extension] = /^(\w+)\.([\w-]{10})\.(\w+)$/.exec(file) ?? [];
  return hash === undefined ? { name: file } : { name: `${stem}.${extension}`, hash };
}
