import { PassThrough } from 'node:stream';
import { progressBar, progressLines } from '#lib/cli/progress.ts';

describe('progress as lines', () => {
  test('prints one line at the end of a phase, and more in a long phase', () => {
    let time = 0;
    const lines: string[] = [];
    const progress = progressLines(
      (line) => lines.push(line),
      () => time,
    );
    progress.begin('users', 1);
    progress.step();
    progress.begin('tasks', 4);
    for (let step = 0; step < 4; step += 1) {
      time += 1_500;
      progress.step();
    }
    progress.end();
    expect(lines).toEqual(['users: 1', 'tasks: 2 of 4, 1 a second, 2 s left', 'tasks: 4']);
  });
});

describe('progress bar', () => {
  test('is full at the end', () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, cursorTo: () => {} });
    let shown = '';
    stream.on('data', (chunk) => {
      shown += chunk;
    });
    const progress = progressBar(stream as unknown as NodeJS.WriteStream);
    progress.begin('tasks', 2);
    progress.step();
    progress.step();
    progress.end();
    expect(shown).toContain('100 % | 2 of 2 | tasks');
  });
});
