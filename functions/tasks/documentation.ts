/** What the OpenAPI document says of this resource beyond its contract. Nothing that ships to Lambda imports it. */
import { type Documentation, projectId, tagId, times, userId } from '../shared/contract/documentation.ts';

export const documentation: Documentation = {
  description: 'A thing to do, of a project and for a user, or of nobody yet.',
  example: {
    id: '019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36',
    name: 'Draft the sitemap',
    status: 'active',
    description: 'All pages of today, and where each will be.',
    priority: 'high',
    projectId,
    userId,
    dueDate: '2026-03-20',
    tagIds: [tagId],
    ...times,
  },
  change: { status: 'completed' },
  members: {
    description: 'Text on any number of lines.',
    priority: 'How urgent it is.',
    projectId: 'The project that it belongs to; it goes with it.',
    userId: 'Who is to do it.',
    dueDate: 'The last day.',
    tagIds: 'Its tags.',
  },
};
