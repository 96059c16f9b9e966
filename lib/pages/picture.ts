/** The picture of the start page: who uses the API, and what it keeps. The style sheet has its colors. */

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly title: string;
  readonly line: string;
  readonly kind?: 'client' | 'task';
}

const height = 52;

const boxes: readonly Box[] = [
  { x: 4, y: 34, width: 144, title: 'Web apps', line: 'lists, boards', kind: 'client' },
  { x: 4, y: 134, width: 144, title: 'iOS and Android', line: 'offline, then sync', kind: 'client' },
  { x: 4, y: 234, width: 144, title: 'Scripts, agents', line: 'batches, events', kind: 'client' },
  { x: 388, y: 10, width: 150, title: 'Organization', line: 'owns projects' },
  { x: 388, y: 98, width: 150, title: 'Project', line: 'groups tasks' },
  { x: 388, y: 186, width: 150, title: 'Task', line: 'status, priority, date', kind: 'task' },
  { x: 350, y: 274, width: 108, title: 'User', line: 'is assigned' },
  { x: 474, y: 274, width: 108, title: 'Tag', line: 'labels tasks' },
];

const shape = ({ x, y, width, title, line, kind = 'client' }: Box): string =>
  `<g class="${kind}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/><text class="title" x="${x + width / 2}" y="${y + 23}">${title}</text><text x="${x + width / 2}" y="${y + 40}">${line}</text></g>`;

const lines = [
  'M148 60C178 60 162 150 200 150',
  'M148 160H200',
  'M148 260C178 260 162 170 200 170',
  'M322 160C350 160 340 36 388 36',
  'M322 160C350 160 340 124 388 124',
  'M322 160C350 160 340 212 388 212',
  'M463 62V98',
  'M463 150V186',
  'M404 274C404 252 440 256 440 238',
  'M528 274C528 252 486 256 486 238',
].map((path) => `<path d="${path}"/>`);

const capabilities = ['any filter', 'exact totals', 'all or nothing', 'safe retries'].map(
  (text, position) => `<text x="261" y="${166 + position * 21}">${text}</text>`,
);

export const picture = `<svg class="picture" viewBox="0 0 590 334" role="img" aria-labelledby="picture-title"><title id="picture-title">Web apps, mobile apps and scripts use one API. It stores organizations, their projects, and tasks with users and tags.</title><g class="lines">${lines.join('')}</g><g class="api"><rect x="200" y="84" width="122" height="158" rx="14"/><text class="title" x="261" y="118">REST API</text><text class="path" x="261" y="138">/v1</text>${capabilities.join('')}</g>${boxes.map(shape).join('')}</svg>`;
