/**
 * The channels of AppSync Events. Each change log has one, on which its newest position is announced.
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/event-api-concepts.html
 */
import { hash } from 'node:crypto';
import { allProjectsScope } from '../contract/scopes.ts';
import { guardKinds } from '../engine/model/access.ts';
import { resources } from '../schema.ts';
import { hasScope } from './caller.ts';
import type { Caller } from './middleware.ts';

/** The namespace that has all channels: the first segment of each. */
export const channelNamespace = 'changes';

/** Hexadecimal digits that stand for a tenant: a segment has at most 50 letters, digits and hyphens. */
const tenantDigits = 32;

/** Returns the channel of a log. @param plural of the kind. */
export const channelOf = (tenant: string, plural: string): string =>
  `/${channelNamespace}/${hash('sha256', tenant).slice(0, tenantDigits)}/${plural}`;

/** Returns the channels that a caller may subscribe to, by collection: those of the collections that the token allows to read. */
export const channelsOf = (caller: Pick<Caller, 'tenant' | 'scopes'>): Record<string, string> =>
  Object.fromEntries(
    resources
      .filter(({ plural }) => hasScope(caller, `${plural}:read`))
      .map(({ plural }) => [plural, channelOf(caller.tenant, plural)]),
  );

/**
 * Returns, by collection, those whose changes can also change what a caller sees of it: of a task, its project tells. Nothing changes for a caller who sees
 * all.
 */
export const seenThroughOf = (
  caller: Pick<Caller, 'tenant' | 'scopes'>,
): Record<string, readonly string[]> =>
  hasScope(caller, allProjectsScope)
    ? {}
    : Object.fromEntries(
        resources
          .map(({ kind, plural }) => [plural, pluralsOf(guardKinds(kind))] as const)
          .filter(([, guards]) => guards.length > 0),
      );

const pluralsOf = (kinds: readonly string[]): string[] =>
  resources.filter(({ kind }) => kinds.includes(kind)).map(({ plural }) => plural);
