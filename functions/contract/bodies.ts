import * as v from 'valibot';
import type { Body } from './contract.ts';

/** The body of an action without parameters: no body, or an empty object. */
export const emptyBody: Body = { writable: [], schema: () => v.object({}), optional: true };
