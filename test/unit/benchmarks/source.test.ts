import { sourceLine } from '../../../benchmarks/source.ts';

describe('sourceLine', () => {
  const measured = { commit: 'abc1234', hasChanges: false, date: '2026-11-24', args: ['lists'] };

  test('names the command, the commit and the day', () => {
    expect(sourceLine(measured)).toBe(
      'Written by `npm run bench -- lists` at commit `abc1234` on 2026-11-24.',
    );
  });

  test('says that files differed from the commit, and does not name folders of the machine', () => {
    const args = ['creates', '--beside', '/home/someone/other'];
    expect(sourceLine({ ...measured, hasChanges: true, args })).toBe(
      'Written by `npm run bench -- creates --beside <folder>` at commit `abc1234 with uncommitted changes` on 2026-11-24.',
    );
  });
});
