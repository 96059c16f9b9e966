import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const defaultPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Starts the Chromium at `CHROMIUM`, or at a default path of distributions.
 * @throws Error that explains how to install Chromium.
 */
export function startChromium(): Promise<Browser> {
  const executablePath = [process.env['CHROMIUM'] ?? '', ...defaultPaths].find((path) => existsSync(path));
  if (!executablePath) {
    throw new Error(
      'These tests need Chromium. Run "apt-get install chromium", or set CHROMIUM to its path.',
    );
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Returns the accessibility violations in a part of a page. */
export async function violationsOf(page: Page, part = 'html'): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(`axe.run("${part}", { resultTypes: ["violations"] })`)) as {
    violations: readonly { id: string; nodes: readonly { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
