import { hash } from 'node:crypto';
import type { Expected } from '../store/read-entity.ts';

/**
 * The entity tag of a version of an entity (RFC 9110, 8.8.3). The random end of the id is in it, so that a tag
 * which is sent with another entity by mistake does not fit.
 */
export const versionTag = (id: string, version: number): string => `"${id.slice(-12)}-${version}"`;

/** The entity tag of an answer that has no version: a digest of it. */
export const contentTag = (content: string): string =>
  `"${hash('sha256', content, 'base64url').slice(0, 27)}"`;

/** The tags that a header lists. One of others' may hold a comma, and comes apart into what is no tag of ours. */
const tags = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/** Whether the caller already has what carries this tag (RFC 9110, 13.1.2: weak tags count as well). */
export function isCurrent(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tags(ifNoneMatch).some((one) => one.replace(/^W\//, '') === tag);
}

/** The versions of an entity that `If-Match` lets through (RFC 9110, 13.1.1: weak tags never do). */
export function expectedVersions(ifMatch: string | undefined, id: string): Expected {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const versions = tags(ifMatch).map((tag) => Number(/-(\d{1,15})"$/.exec(tag)?.[1] ?? 0));
  return new Set(versions.filter((version) => tags(ifMatch).includes(versionTag(id, version))));
}
