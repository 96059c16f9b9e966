/** What the document says of resources beyond their contracts: words and examples. */
import type { Kind } from '../../functions/shared/store/relations.ts';

interface Words {
  /** What one is; a sentence. */
  readonly description: string;
  /** A whole entity, as answers show it. */
  readonly example: Readonly<Record<string, unknown>>;
  /** A change as people would make it. */
  readonly change: Readonly<Record<string, unknown>>;
}

const organizationId = '019b2f4e-6c1d-7a39-8b52-4d1f0e9c7a61';
const projectId = '019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78';
const userId = '019b2f4f-01b7-7d10-a3c8-91e4f7d2b605';
const tagId = '019b2f4f-2a95-7be2-8d67-c05a1b9e3f42';

const times = { createdAt: '2026-03-02T09:15:27.318Z', updatedAt: '2026-03-09T16:40:02.771Z' };

export const words: Readonly<Record<Kind, Words>> = {
  organization: {
    description: 'Who the work is done for: it has projects, users and tags.',
    example: {
      id: organizationId,
      name: 'Acme',
      status: 'active',
      description: 'Everything from anvils to rockets.',
      ...times,
    },
    change: { description: 'Anvils, rockets and birdseed.' },
  },
  project: {
    description: 'A piece of work of an organization, made of tasks.',
    example: {
      id: projectId,
      name: 'Website relaunch',
      status: 'active',
      organizationId,
      description: 'New structure, new design, the same addresses.',
      startDate: '2026-03-02',
      dueDate: '2026-09-30',
      ...times,
    },
    change: { status: 'planned', dueDate: null },
  },
  user: {
    description: 'Somebody who works on tasks.',
    example: {
      id: userId,
      name: 'Ada Lovelace',
      status: 'active',
      email: 'ada@example.com',
      organizationId,
      ...times,
    },
    change: { email: 'ada.lovelace@example.com' },
  },
  task: {
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
  },
  tag: {
    description: 'A word to find tasks by.',
    example: {
      id: tagId,
      name: 'design',
      status: 'active',
      color: '#ff8800',
      description: 'What is seen.',
      organizationId,
      ...times,
    },
    change: { color: '#0088ff' },
  },
};

/** What members mean; a member of one name means the same everywhere. */
export const memberDescriptions: Readonly<Record<string, string>> = {
  id: 'Opaque and unique. Ids made later sort later.',
  name: 'White space around it is taken away before it is measured.',
  status: 'An open value. Usual are active, planned, completed and archived.',
  createdAt: 'When it was created, in UTC.',
  updatedAt: 'When it was last written, in UTC.',
  description: 'Text on any number of lines.',
  organizationId: 'The organization that it belongs to.',
  projectId: 'The project that it belongs to; it goes with it.',
  userId: 'Who is to do it.',
  tagIds: 'Its tags.',
  startDate: 'The first day.',
  dueDate: 'The last day.',
  priority: 'How urgent it is.',
  email: 'Need not be unique.',
  color: 'As #rrggbb.',
  include: 'What is copied besides the project itself.',
};
