import type { Screen } from '../../../benchmarks/app-screens.ts';
import { countStatement, pageStatement } from '../../../benchmarks/screen-statements.ts';

const screenOf = (query: string): Screen => ({
  name: 'a screen',
  collection: 'tasks',
  query,
  where: 'listed.user_id is null',
  order: 'listed.due_date',
});

describe('pageStatement', () => {
  it('reads the fields and as many rows as the screen shows', () => {
    expect(pageStatement(screenOf('userId[isNull]=true&fields=id,dueDate&limit=10'))).toBe(
      'select listed.id, listed.due_date from tasks listed where listed.user_id is null order by listed.due_date limit 10',
    );
  });

  it('joins what the screen expands to the rows of the page', () => {
    expect(pageStatement(screenOf('userId[isNull]=true&expand=project'))).toBe(
      'select listed.*, to_jsonb(project) as project from ' +
        '(select listed.* from tasks listed where listed.user_id is null order by listed.due_date limit 20) listed ' +
        'left join projects project on project.id = listed.project_id order by listed.due_date',
    );
  });
});

describe('countStatement', () => {
  it('counts what matches', () => {
    expect(countStatement(screenOf('userId[isNull]=true'))).toBe(
      'select count(*) from tasks listed where listed.user_id is null',
    );
  });

  it('counts the values of a field, with the total', () => {
    expect(countStatement(screenOf('userId[isNull]=true&countBy=projectId'))).toBe(
      'select listed.project_id, count(*), sum(count(*)) over () from tasks listed where listed.user_id is null ' +
        'group by 1 order by 2 desc, 1 nulls first limit 100',
    );
  });
});
