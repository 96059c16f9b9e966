import { explainFields, explainSort } from '#functions/http/suggest-option.ts';

describe('explainSort', () => {
  const explain = (value: string) => explainSort(value, ['name', 'priority', 'dueDate']);

  test.each([
    ['name:asc', 'sortBy=name&sortOrder=asc'],
    ['name asc', 'sortBy=name&sortOrder=asc'],
    ['-priority', 'sortBy=priority&sortOrder=desc'],
    [' name', 'sortBy=name&sortOrder=asc'],
    ['due_date.DESC', 'sortBy=dueDate&sortOrder=desc'],
    ['-priority,dueDate', 'sortBy=priority,dueDate&sortOrder=desc,asc'],
    ['title:descending', 'sortBy=name&sortOrder=desc'],
  ])('suggests for %j: %s', (value, query) => {
    expect(explain(value)).toBe(
      `${JSON.stringify(value)} is not a value of "sortBy". Did you mean "${query}"?`,
    );
  });

  test.each([
    '',
    'name',
    'priority,name',
    'nam',
    '-unknown',
    'name:up:down',
    'name:sideways',
    '-name,x',
    `-name${' '.repeat(128)}`,
  ])('explains nothing for %j', (value) => {
    expect(explain(value)).toBeUndefined();
  });
});

describe('explainFields', () => {
  const explain = (value: string) => explainFields(value, ['id', 'name', 'projectId'], ['project']);

  test.each([
    ['*', '"*" is not a value of "fields". Leave "fields" out to get all fields.'],
    ['id,all', '"all" is not a value of "fields". Leave "fields" out to get all fields.'],
    [
      'name,project',
      '"project" is not a value of "fields". Send "expand=project" besides: it adds the entity that the reference names.',
    ],
    [
      'project.name',
      '"project.name" is not a value of "fields". Send "expand=project" besides: it adds the entity that the reference names.',
    ],
  ])('explains %s', (value, detail) => {
    expect(explain(value)).toBe(detail);
  });

  test.each(['', 'name', 'nam', 'projects', `project,${'x'.repeat(128)}`])(
    'explains nothing for %j',
    (value) => {
      expect(explain(value)).toBeUndefined();
    },
  );
});
