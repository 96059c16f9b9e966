/** What other APIs call the fields, parameters and operators of this one, without case and separators. Suggestions use it. */
import type { ListOperator } from '../contract/list-fields.ts';
import type { OtherNames } from './suggestion.ts';

/** Fields in bodies and queries, expanded references, and the members of a batch's operation. */
export const otherFieldNames: OtherNames = {
  name: ['title', 'subject', 'summary', 'displayname'],
  status: ['state', 'stage'],
  description: ['body', 'content', 'details', 'notes', 'desc', 'text'],
  projectId: ['project', 'projects'],
  parentId: ['parent', 'parenttask', 'parenttaskid', 'taskid', 'subtaskof'],
  userId: ['user', 'users', 'assignee', 'assigneeid', 'assignees', 'assignedto', 'owner', 'ownerid'],
  tagIds: ['tag', 'tags', 'tagid', 'label', 'labels', 'labelid', 'labelids'],
  organizationId: ['organization', 'organisation', 'organisationid', 'org', 'orgid'],
  dueDate: ['due', 'dueat', 'dueby', 'dueon', 'deadline', 'enddate'],
  estimate: ['points', 'storypoints', 'estimation', 'effort', 'size'],
  startDate: ['start', 'startat', 'starton', 'startsat', 'startson'],
  position: ['rank', 'sortindex', 'orderindex', 'sortkey', 'ordinal'],
  createdAt: ['created', 'createdon', 'creationdate', 'datecreated'],
  updatedAt: ['updated', 'updatedon', 'modified', 'modifiedat', 'modifiedon', 'lastmodified', 'changedat'],
  email: ['mail', 'emailaddress'],
  color: ['colour'],
  project: ['projects'],
  parent: ['parenttask', 'task'],
  user: ['users', 'assignee', 'owner'],
  tags: ['tag', 'label', 'labels'],
  organization: ['organizations', 'organisation', 'org'],
  operation: ['op', 'action', 'method', 'type'],
};

/** Parameters of lists, the fields among them. A filter can have an operator. */
export const otherParameterNames: OtherNames = {
  page: ['offset', 'skip', 'pagenumber', 'pageno', 'pageindex'],
  after: ['cursor', 'pagetoken', 'startingafter', 'next', 'nexttoken', 'continuationtoken'],
  since: ['cursor', 'after', 'checkpoint', 'synctoken', 'changedsince'],
  limit: ['pagesize', 'pagelimit', 'perpage', 'itemsperpage', 'size', 'count', 'first', 'take', 'maxresults'],
  sortBy: ['sort', 'orderby', 'sortfield', 'sortkey', 'ordering'],
  sortOrder: ['order', 'direction', 'dir', 'sortdir', 'sortdirection', 'orderdirection'],
  fields: ['select', 'columns', 'attributes', 'props', 'properties'],
  expand: ['include', 'includes', 'embed', 'with', 'populate', 'relations'],
  countBy: ['groupby', 'facet', 'facets', 'aggregate', 'aggregations', 'aggs', 'counts'],
  sumBy: ['sum', 'sums', 'total', 'totals', 'aggregateby'],
  search: ['q', 'query', 'searchterm', 'term', 'keyword', 'keywords', 'fulltext'],
  'updatedAt[gte]': ['since', 'changedsince', 'modifiedsince'],
  ...otherFieldNames,
};

export const otherDirectionNames: OtherNames = {
  asc: ['ascending'],
  desc: ['descending'],
};

/** A word can mean two operators. The suggestion is the one that the field takes. */
export const otherOperatorNames: OtherNames & Readonly<Record<ListOperator, readonly string[]>> = {
  ne: ['neq', 'not', 'isnot', '!', '!=', '<>'],
  in: ['any', 'anyof', 'oneof'],
  notIn: ['nin', 'none', 'noneof'],
  lt: ['before', 'lessthan', '<'],
  lte: ['le', 'max', 'to', 'until', '<='],
  gt: ['after', 'greaterthan', '>'],
  gte: ['ge', 'min', 'from', 'since', '>='],
  startsWith: ['prefix', 'beginswith', 'startwith'],
  contains: ['like', 'ilike', 'search', 'match', 'matches', 'includes', 'contain', 'substring', '~', '~='],
  isNull: ['null', 'empty', 'isempty'],
  all: ['contains', 'contain', 'has', 'hasall', 'includes', 'allof'],
  isEmpty: ['empty', 'null', 'isnull'],
};

/** What other APIs call an exact match. Here it has no operator. */
export const exactMatchNames: readonly string[] = ['', 'eq', 'is', 'equals', '=', '=='];

/** What other APIs call the opposite of `isNull` and `isEmpty`. Here these take the value `false`. */
export const presenceNames: readonly string[] = [
  'exists',
  'present',
  'isset',
  'notnull',
  'isnotnull',
  'notempty',
];

/** What other APIs call a comparison with two bounds. Here it is two filters. */
export const rangeNames: readonly string[] = ['between', 'range', 'within'];
