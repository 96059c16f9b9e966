/** How the data of people at work is spread. */
import type { Shares } from './drawing.ts';

export const organizationStatuses: Shares<string> = [
  [9, 'active'],
  [1, 'archived'],
];

export const userStatuses: Shares<string> = [
  [88, 'active'],
  [7, 'invited'],
  [5, 'inactive'],
];

/** How far a project is. Its dates and its tasks depend on that more than on its very status. */
export type Stage = 'planned' | 'running' | 'paused' | 'over';

const stages: Readonly<Record<string, Stage>> = {
  planned: 'planned',
  active: 'running',
  'on-hold': 'paused',
};

export const stageOf = (projectStatus: string): Stage => stages[projectStatus] ?? 'over';

export const projectStatuses: Shares<string> = [
  [55, 'active'],
  [18, 'completed'],
  [15, 'planned'],
  [6, 'on-hold'],
  [6, 'cancelled'],
];

/** Days from today between which a project of this stage begins, and is due. */
export const projectDays: Readonly<
  Record<Stage, Record<'start' | 'due', readonly [earliest: number, latest: number]>>
> = {
  planned: { start: [5, 90], due: [100, 300] },
  running: { start: [-200, -15], due: [-10, 200] },
  paused: { start: [-300, -60], due: [30, 400] },
  over: { start: [-700, -200], due: [-180, -5] },
};

/** What a project's stage says of its tasks. */
export const taskStatuses: Readonly<Record<Stage, Shares<string>>> = {
  planned: [
    [90, 'todo'],
    [10, 'in-progress'],
  ],
  running: [
    [45, 'todo'],
    [18, 'in-progress'],
    [8, 'in-review'],
    [4, 'blocked'],
    [25, 'done'],
  ],
  paused: [
    [50, 'todo'],
    [20, 'blocked'],
    [30, 'done'],
  ],
  over: [
    [80, 'done'],
    [20, 'cancelled'],
  ],
};

export const isFinished = (taskStatus: string): boolean =>
  taskStatus === 'done' || taskStatus === 'cancelled';

export const priorities: Shares<string> = [
  [30, 'none'],
  [20, 'low'],
  [30, 'medium'],
  [15, 'high'],
  [5, 'urgent'],
];

/** Days from today at which tasks are due; some are late. */
export const taskDays: Shares<readonly [earliest: number, latest: number] | null> = [
  [40, null],
  [10, [-30, -1]],
  [28, [0, 21]],
  [22, [22, 180]],
];

/** As `taskDays`, for tasks that are finished. */
export const finishedTaskDays: Shares<readonly [earliest: number, latest: number] | null> = [
  [40, null],
  [60, [-200, -1]],
];

export const tagsPerTask: Shares<number> = [
  [25, 0],
  [35, 1],
  [25, 2],
  [12, 3],
  [3, 4],
];

/** Sentences in a description: many are empty, a few are long. */
export const sentencesPerTask: Shares<number> = [
  [35, 0],
  [38, 1],
  [20, 3],
  [7, 9],
];
