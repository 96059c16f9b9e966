import { hash } from 'node:crypto';

/**
 * Returns the entity tag of a version of an entity (RFC 9110, 8.8.3). The random end of the id is part of it, so that
 * a tag which is sent with another entity by mistake does not match.
 */
export const versionTag = (id: string, version: number): string => `"${id.slice(-12)}-${version}"`;

/** Returns the entity tag of a response that has no version: a digest of its content. */
export const contentTag = (content: string | Buffer): string =>
  `"${hash('sha256', content, 'base64url').slice(0, 27)}"`;
