/** What resources say of themselves to people, and the ids that their examples share. */

export interface Documentation {
  /** What one is; a sentence. */
  readonly description: string;
  /** A whole entity, as answers show it. */
  readonly example: Readonly<Record<string, unknown>>;
  /** A change as people would make it. */
  readonly change: Readonly<Record<string, unknown>>;
  /** What its own members mean; a member of one name means the same everywhere. */
  readonly members: Readonly<Record<string, string>>;
}

export const organizationId = '019b2f4e-6c1d-7a39-8b52-4d1f0e9c7a61';
export const projectId = '019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78';
export const userId = '019b2f4f-01b7-7d10-a3c8-91e4f7d2b605';
export const tagId = '019b2f4f-2a95-7be2-8d67-c05a1b9e3f42';

export const times = { createdAt: '2026-03-02T09:15:27.318Z', updatedAt: '2026-03-09T16:40:02.771Z' };
