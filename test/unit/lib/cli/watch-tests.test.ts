import { testsOf } from '#lib/cli/watch-tests.ts';

test.each([
  ['functions/tasks/create-task.ts', ['test/unit/functions/tasks/', 'test/contract/']],
  ['functions/tags/contract.ts', ['test/unit/functions/', 'test/contract/']],
  [
    'functions/store/lists/engine/read/row-filter.ts',
    ['test/unit/functions/store/lists/engine/read/', 'test/contract/'],
  ],
  ['lib/local/gateway.ts', ['test/unit/lib/local/']],
  ['client/index.ts', ['test/client/']],
  ['test/contract/lists.test.ts', ['test/contract/lists.test.ts']],
  ['test/contract/resources.ts', ['test/contract/']],
  ['docs/testing.md', []],
])('after %s was saved, runs %j', (path, expected) => {
  expect(testsOf(path)).toEqual(expected);
});
