import * as v from 'valibot';
import type { Body } from './contract.ts';

/** For an action that takes nothing: no body, or an empty object. */
export const emptyBody: Body = { writable: [], schema: () => v.object({}), optional: true };
