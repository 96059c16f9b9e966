/** The type of the resource docs in the OpenAPI document, and the ids that their examples share. */

export interface Documentation {
  readonly description: string;
  readonly example: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
  /** A typical list: what a user wants to know, and the query that returns it. */
  readonly list: { readonly question: string; readonly query: string };
  /** The descriptions of fields. A field with the same name has the same description in every resource. */
  readonly fields: Readonly<Record<string, string>>;
}

export const organizationId = '019b2f4e-6c1d-7a39-8b52-4d1f0e9c7a61';
export const projectId = '019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78';
export const userId = '019b2f4f-01b7-7d10-a3c8-91e4f7d2b605';
export const taskId = '019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36';
export const tagId = '019b2f4f-2a95-7be2-8d67-c05a1b9e3f42';

export const times = { createdAt: '2026-03-02T09:15:27.318Z', updatedAt: '2026-03-09T16:40:02.771Z' };
