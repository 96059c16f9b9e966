/** Two pages of the example app beside each other: how long a change on one of them takes to the other, and what the feed of the other is asked meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../client/index.ts';
import { serveBoard } from '../lib/local/serve-board.ts';
import { startChromium } from '../test/browser/chromium.ts';
import { usualOrSmallest } from './form.ts';

const changes = usualOrSmallest(100, 3);

/** Milliseconds without a change, in which the feed is not asked. */
const quietMs = usualOrSmallest(30_000, 1_000);

interface PageResult {
  /** Milliseconds from the click on one page until the other one shows it, of each change. */
  readonly shown: readonly number[];
  /** Requests of the feed of the other page while there were changes, and in the time without one. */
  readonly requests: number;
  readonly quietRequests: number;
  readonly quietMs: number;
}

/** Moves a card to and fro on one page. @param url of the service. */
export async function measurePages(url: string): Promise<PageResult> {
  const client = createClient({ url });
  await client.tasks.create({ name: 'Draft', status: 'planned' });
  await client.tasks.create({ name: 'Other', status: 'active' });
  const [board, browser] = await Promise.all([serveBoard(url, 0), startChromium()]);
  try {
    const [one, other] = [await browser.newPage(), await browser.newPage()];
    let asked = 0;
    other.on('request', (request) => {
      if (request.method() === 'GET' && request.url().includes('/v1/tasks/changes')) asked += 1;
    });
    for (const page of [one, other]) {
      await page.goto(board.url);
      await page.locator('#board[aria-busy=false]').waitFor();
    }
    await delay(3_000);
    asked = 0;
    await delay(quietMs);
    const quietRequests = asked;
    asked = 0;
    const shown: number[] = [];
    for (let count = 0; count < changes; count += 1) {
      const [from, to] = count % 2 === 0 ? ['planned', 'active'] : ['active', 'planned'];
      const cardIn = (page: typeof one, status: string) =>
        page.locator(`.column[data-status="${status}"] .card`, {
          has: page.getByText('Draft', { exact: true }),
        });
      const appears = cardIn(other, to).waitFor();
      const started = performance.now();
      await cardIn(one, from).getByRole('combobox').selectOption(to);
      await appears;
      shown.push(performance.now() - started);
      await delay(1_000);
    }
    return { shown, requests: asked, quietRequests, quietMs };
  } finally {
    await browser.close();
    await board.stop();
  }
}
