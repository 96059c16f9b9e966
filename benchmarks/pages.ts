/**
 * `npm run bench -- pages`: measures what the static pages load, and when Chromium shows their first heading: of the reference, the title of its
 * first operation. Each run has an empty cache. Needs Chromium, at `CHROMIUM` or at a usual path. Writes `docs/performance/pages.md`.
 */
import type { Browser, CDPSession } from 'playwright-core';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { startService } from '../lib/local/service.ts';
import { startChromium } from '../test/browser/chromium.ts';
import { usualOrSmallest } from './form.ts';
import { median, publishPage, table } from './report.ts';

const runs = usualOrSmallest(15, 1);

const pages = [
  { path: '/', first: 'h1' },
  { path: '/docs#listOrganizations', first: 'section.operation h3' },
  { path: '/docs/guides/getting-started', first: 'h1' },
  { path: '/docs/problems', first: 'section h2' },
] as const;

type Page = (typeof pages)[number];

interface Conditions {
  readonly name: string;
  /** How many times slower than this machine. */
  readonly cpu: number;
  readonly network?: { readonly latency: number; readonly bytesPerSecond: number };
}

const conditions: readonly Conditions[] = [
  { name: 'this machine', cpu: 1 },
  { name: 'a phone', cpu: 4, network: { latency: 40, bytesPerSecond: 1_250_000 } },
];

/** Counts the bytes of responses as they arrive, headers included. */
class Wire {
  bytes = 0;
  fontBytes = 0;
  readonly #fonts = new Set<string>();

  constructor(session: CDPSession) {
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Font') this.#fonts.add(requestId);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (this.#fonts.has(requestId)) this.fontBytes += encodedDataLength;
      else this.bytes += encodedDataLength;
    });
  }
}

async function emulate(session: CDPSession, { cpu, network }: Conditions): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  if (!network) return;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latency,
    downloadThroughput: network.bytesPerSecond,
    uploadThroughput: network.bytesPerSecond,
  });
}

/** Runs in the page: notes when the first frame with the element is done, in milliseconds since the navigation began. */
const watch = (selector: string): string => `{
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector('${selector}')?.getClientRects().length > 0) {
      requestAnimationFrame(() => { window.shownAt = performance.now(); });
    } else look();
  });
  look();
}`;

async function load(browser: Browser, url: string, { path, first }: Page, one: Conditions) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const wire = new Wire(session);
  await emulate(session, one);
  await page.addInitScript(watch(first));
  await page.goto(url + path, { waitUntil: 'networkidle' });
  const shownMs = (await (await page.waitForFunction('window.shownAt')).jsonValue()) as number;
  await context.close();
  return { shownMs, bytes: wire.bytes, fontBytes: wire.fontBytes };
}

const service = await startService({ port: 0, databaseFile: inMemory });
const browser = await startChromium();
const results = pages.map((page) => ({
  page,
  byConditions: conditions.map((one) => ({ one, loads: [] as Awaited<ReturnType<typeof load>>[] })),
}));
// Pages and conditions take turns, so that other load on the machine affects all of them.
for (let run = 0; run < runs; run += 1) {
  for (const { page, byConditions } of results) {
    for (const { one, loads } of byConditions) loads.push(await load(browser, service.url, page, one));
  }
  console.log(`run ${run + 1} of ${runs}`);
}
const version = browser.version();
await browser.close();
await service.stop();

const kilobytes = (bytes: number | undefined): string => ((bytes ?? 0) / 1_000).toFixed(1);

publishPage(
  'pages.md',
  `Chromium ${version}, medians of ${runs} loads with an empty cache. The bytes are those of all responses, compressed, with headers. "shown" is the
time from the start of the navigation to the frame with the first heading of the content, in milliseconds. For "a phone", the browser slows the CPU
down four times, and the network to 10 Mbit/s with 40 ms of latency.

${table(
  ['page', 'kB', 'font, kB', ...conditions.map(({ name }) => `shown, ${name}`)],
  results.map(({ page, byConditions }) => {
    const [first] = byConditions;
    return [
      `\`${page.path}\``,
      kilobytes(first?.loads[0]?.bytes),
      kilobytes(first?.loads[0]?.fontBytes),
      ...byConditions.map(({ loads }) => median(loads.map(({ shownMs }) => shownMs)).toFixed(0)),
    ];
  }),
)}
`,
);
