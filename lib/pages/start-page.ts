import { jsonBlock, statusPill, tabs } from './code.ts';
import { type Guide, type GuideGroup, groupsOf } from './guides.ts';
import { escaped, exampleOrigin, icon } from './html.ts';
import { type Page, productName } from './layout.ts';
import { picture } from './picture.ts';

/** The same request in three languages. */
const request = [
  {
    label: 'curl',
    language: 'sh',
    source: `curl -G '${exampleOrigin}/v1/tasks' \\
  -H "Authorization: Bearer $TOKEN" \\
  -d 'priority[gte]=high' \\
  -d 'sortBy=priority' \\
  -d 'fields=name,priority,dueDate' \\
  -d 'countBy=status' \\
  -d 'limit=1'`,
  },
  {
    label: 'TypeScript',
    language: 'ts',
    source: `import { createClient } from 'project-management-client';

const client = createClient({
  url: '${exampleOrigin}',
  token: process.env.TOKEN,
});
const page = await client.tasks.list({
  priority: { gte: 'high' },
  sortBy: 'priority',
  fields: ['name', 'priority', 'dueDate'],
  countBy: ['status'],
  limit: 1,
});
console.log(page);`,
  },
  {
    label: 'Python',
    language: 'python',
    source: `import requests

response = requests.get(
    "${exampleOrigin}/v1/tasks",
    params={
        "priority[gte]": "high",
        "sortBy": "priority",
        "fields": "name,priority,dueDate",
        "countBy": "status",
        "limit": 1,
    },
    headers={"Authorization": f"Bearer {TOKEN}"},
)
print(response.json())`,
  },
];

/** @param task the example of a task. */
const response = (task: Readonly<Record<string, unknown>>): object => ({
  data: [
    {
      id: task['id'],
      name: 'Book the venue',
      priority: 'urgent',
      dueDate: '2026-03-23',
    },
  ],
  total: 41,
  page: 1,
  totalPages: 41,
  counts: {
    status: [
      { value: 'active', count: 29 },
      { value: 'completed', count: 12 },
    ],
  },
});

const notes = `<dl class="notes"><div><dt><code>data</code></dt><dd>Only the fields that the screen needs.</dd></div><div><dt><code>total</code></dt><dd>The exact number of matching tasks on all pages.</dd></div><div><dt><code>counts</code></dt><dd>The number of matching tasks per status.</dd></div></dl>`;

const groupOf = ({ title, guides }: GuideGroup): string =>
  `<section><h3>${title}</h3><ul>${guides.map((guide) => `<li><a href="/docs/guides/${guide.name}"><b>${escaped(guide.title)}</b><span>${escaped(guide.summary)}</span></a></li>`).join('')}</ul></section>`;

const arrow = icon('M5 12h14M13 6l6 6-6 6');

const totals = ['organizations', 'projects', 'users', 'tasks', 'tags'];

const card = (href: string, title: string, text: string): string =>
  `<li><a href="${href}"><b>${escaped(title)} ${arrow}</b><span>${escaped(text)}</span></a></li>`;

const reasons: readonly (readonly [path: string, title: string, text: string, href: string])[] = [
  [
    'M4 6h16M7 12h10M10 18h4',
    'Any list, with exact totals',
    'Filter by any field, sort by up to three, and count by value. Every list includes every acknowledged write.',
    '/docs/guides/lists-and-filters',
  ],
  [
    'M4 12a8 8 0 0 1 13.7-5.7L20 8.5M20 4v4.5h-4.5M20 12a8 8 0 0 1-13.7 5.7L4 15.5M4 20v-4.5h4.5',
    'Writes that are safe to repeat',
    'Idempotency keys make retries safe, versions prevent lost updates, and batches apply all operations or none.',
    '/docs/guides/retries-and-lost-updates',
  ],
  [
    'M7 18a4.5 4.5 0 0 1-.6-8.96A6 6 0 0 1 18 8.5a4.8 4.8 0 0 1-.5 9.5M12 12v8M9 17l3 3 3-3',
    'Offline and live',
    'A change feed keeps a copy of any list up to date on the phone or in the browser, including deletions.',
    '/docs/guides/offline-and-live',
  ],
];

const roles: readonly (readonly [href: string, title: string, text: string])[] = [
  [
    '/docs/guides/getting-started',
    'I build a web app',
    'Send your first requests, then use the TypeScript client.',
  ],
  [
    '/docs/guides/mobile-apps',
    'I build a mobile app',
    'Models in Swift and Kotlin, sign-in and offline writes.',
  ],
  ['/docs', 'I integrate a system', 'Look up operations, and try them on the page.'],
  ['/docs/problems', 'I handle errors', 'See what each error means and how to solve it.'],
];

/** Returns the start page. Its script replaces the address in the examples, and fetches the totals. */
export const startPage = (
  version: string,
  guides: readonly Guide[],
  task: Readonly<Record<string, unknown>>,
): Page => ({
  title: `${productName} · Project management API`,
  description: 'A REST API for organizations, projects, users, tasks and tags.',
  main: `<div class="front">
<div class="hero"><div>
<p class="eyebrow">Project management API · version ${escaped(version)}</p>
<h1>Project management for your app, in one API</h1>
<p class="lead">Store organizations, projects, tasks, users and tags for your web and mobile apps. Filter and sort every list, and get any page with an exact total.</p>
<p class="actions"><a class="button" href="/docs/guides/getting-started">Get started</a> <a class="button second" href="/docs">API reference</a></p>
<p class="of-tokens note">Requests need an access token. <a href="/docs/guides/authentication">Authentication</a> explains how to get one.</p>
</div>${picture}</div>
<div class="totals" hidden><p>In this service now</p><dl>${totals.map((name) => `<div><dt>${name}</dt><dd data-total="${name}">…</dd></div>`).join('')}</dl></div>
<h2>Get exactly what a screen needs</h2>
<p class="lead">One request returns the important tasks, the most urgent first, and the number of tasks per status.</p>
<div class="exchange"><div>${tabs(request, 'List important tasks')}${notes}</div>${jsonBlock(response(task), 'Response: a page of tasks', `${statusPill(200)} <span>Response</span>`)}</div>
<h2>Built for reliable apps</h2>
<ul class="reasons">${reasons.map(([path, title, text, href]) => `<li>${icon(path)}<h3><a href="${href}">${title}</a></h3><p>${text}</p></li>`).join('')}</ul>
<h2>Where to start</h2>
<ul class="cards">${roles.map((role) => card(...role)).join('')}</ul>
<h2>Guides</h2>
<div class="groups">${groupsOf(guides).map(groupOf).join('')}</div>
</div>`,
});
