import { suggestFilter } from '#functions/http/suggest-filter.ts';
import { task } from '#functions/tasks/resource.ts';

const suggest = (parameter: string) => suggestFilter(parameter, task.listFields);

test.each([
  ['dueDate.lt', 'dueDate[lt]'],
  ['dueDate_lt', 'dueDate[lt]'],
  ['dueDate__lt', 'dueDate[lt]'],
  ['dueDate:lt', 'dueDate[lt]'],
  ['due_date[lt]', 'dueDate[lt]'],
  ['dueDat[lt]', 'dueDate[lt]'],
  ['dueDat[before]', 'dueDate[lt]'],
  ['dueBefore', 'dueDate[lt]'],
  ['created_after', 'createdAt[gt]'],
  ['updatedSince', 'updatedAt[gte]'],
  ['priority>', 'priority[gte]'],
  ['priority<', 'priority[lte]'],
  ['priority>high', 'priority[gt]'],
  ['status!', 'status[ne]'],
  ['status<>done', 'status[ne]'],
  ['name~', 'name[contains]'],
  ['name_contains', 'name[contains]'],
  ['statusNotIn', 'status[notIn]'],
  ['labels[in]', 'tagIds[in]'],
  ['tags[contains]', 'tagIds[all]'],
  ['assignee_is_null', 'userId[isNull]'],
  ['filter[status]', 'status'],
  ['filter[dueDate][lt]', 'dueDate[lt]'],
  ['status_eq', 'status'],
])('suggests for %s: %s', (parameter, filter) => {
  expect(suggest(parameter)).toBe(filter);
});

test.each([
  '',
  'q',
  'page[size]',
  'where',
  'dueDate_contains',
  'priority>>',
  'unknown_lt',
  'constructor[lt]',
  'status[constructor]',
  `dueDate_lt${'_'.repeat(60)}`,
  'due_date_not_in_a_b_c_d_e',
  'status_a_b_c_d_e_f_g_ne',
])('suggests nothing for %j', (parameter) => {
  expect(suggest(parameter)).toBeUndefined();
});
