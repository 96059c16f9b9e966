/**
 * Conditional requests: the entity tags that `If-Match` and `If-None-Match` list. The store compares versions
 * (`engine/entities/read-entity.ts`), and throws `VersionMismatch`, which is a 412.
 */

import type { ExpectedVersions } from '../engine/model/entity.ts';
import { versionTag } from './entity-tags.ts';
import { invalidRequest } from './problems.ts';

/** Entity tags in one `If-Match`. */
export const maxEntityTags = 100;

/**
 * Reads a list of entity tags in one pass (RFC 9110, 5.6.1 and 8.8.3). A tag may hold a comma.
 * @returns the tags before the first mistake.
 */
function readEntityTags(header: string) {
  const tags: string[] = [];
  let needsComma = false;
  let position = 0;
  while (position < header.length) {
    const character = header[position];
    if (character === ',') needsComma = false;
    if (character === ',' || character === ' ' || character === '\t') {
      position += 1;
      continue;
    }
    const quote = header.startsWith('W/', position) ? position + 2 : position;
    const end = header[quote] === '"' ? header.indexOf('"', quote + 1) : -1;
    if (needsComma || end < 0) return { tags, isWellFormed: false };
    tags.push(header.slice(position, end + 1));
    needsComma = true;
    position = end + 1;
  }
  return { tags, isWellFormed: tags.length > 0 };
}

/**
 * Returns whether the caller already has what carries this tag (RFC 9110, 13.1.2: weak tags match too). A malformed
 * header costs the caller a full response and nothing else.
 */
export function isCurrent(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return readEntityTags(ifNoneMatch).tags.some((one) => one === tag || one === `W/${tag}`);
}

type Precondition = { readonly expected: ExpectedVersions } | { readonly detail: string };

/**
 * Reads the versions of an entity that a precondition accepts (RFC 9110, 13.1.1: weak tags never match); `undefined` accepts any
 * version. It must be `*` or a list of at most 100 quoted entity tags.
 */
export function readPrecondition(name: string, ifMatch: string | undefined, id: string): Precondition {
  if (ifMatch === undefined || ifMatch.trim() === '*') return { expected: undefined };
  const { tags, isWellFormed } = readEntityTags(ifMatch);
  if (!isWellFormed) {
    return {
      detail: `An entity tag must be quoted: "${name}" takes * or a list of tags such as "7a2c4d8f0e36-3".`,
    };
  }
  if (tags.length > maxEntityTags) {
    return { detail: `"${name}" has ${tags.length} entity tags; at most ${maxEntityTags} are allowed.` };
  }
  const versions = tags.map((tag) => Number(/-(\d{1,15})"$/.exec(tag)?.[1] ?? 0));
  const own = versions.filter((version, position) => tags[position] === versionTag(id, version));
  return { expected: new Set(own) };
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Returns whether the headers of a write accept no version of its entity: `If-None-Match: *` (RFC 9110, 13.1.2). */
export const acceptsNoVersion = (headers: Headers): boolean => headers['if-none-match']?.trim() === '*';

/**
 * Returns the versions of an entity that the headers of a write accept; `undefined` accepts any version. `If-None-Match: *` accepts none.
 * Other values of it are for reads, and are ignored.
 * @throws Problem 400 when `If-Match` is not `*` or a list of at most 100 quoted entity tags.
 */
export function expectedVersions(headers: Headers, id: string): ExpectedVersions {
  const precondition = readPrecondition('If-Match', headers['if-match'], id);
  if ('detail' in precondition) {
    throw invalidRequest([{ parameter: 'If-Match', detail: precondition.detail }]);
  }
  if (!acceptsNoVersion(headers)) return precondition.expected;
  // `If-Match` asks for an entity that exists, so together they accept neither an entity nor its absence.
  return headers['if-match'] === undefined ? 'none' : new Set();
}
