import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Starts the Chromium of this machine: the one that `CHROMIUM` names, or where packages put it.
 * @throws Error that says how to get one.
 */
export function startChromium(): Promise<Browser> {
  const executablePath = [process.env['CHROMIUM'] ?? '', ...usual].find((path) => existsSync(path));
  if (!executablePath) {
    throw new Error(
      'These tests need Chromium: "apt-get install chromium", or say where it is with CHROMIUM=…',
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
