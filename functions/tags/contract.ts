import * as define from '../contract/contract.ts';
import { tag } from './resource.ts';

export const listTags = define.list(tag);
export const createTag = define.create(tag);
export const readTag = define.read(tag);
export const replaceTag = define.replace(tag);
export const updateTag = define.update(tag);
export const deleteTag = define.remove(tag);
export const batchTags = define.batch(tag);
export const listTagChanges = define.changes(tag);
export const listDeletedTags = define.listDeleted(tag);
export const restoreTag = define.restore(tag);
export const listTagHistory = define.history(tag);
