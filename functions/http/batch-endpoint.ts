import type { batch } from '../contract/contract.ts';
import type { Resource } from '../contract/resource.ts';
import { applyBatch, type BatchResult } from '../engine/batches/apply-batch.ts';
import { BatchFailed, type OperationFailure, VersionMismatch } from '../engine/model/errors.ts';
import { readOperations } from './batch-operations.ts';
import { versionTag } from './entity-tags.ts';
import { invalidRequest, Problem, toProblem, type ValidationIssue } from './problems.ts';
import { writeEndpoint } from './write-endpoint.ts';

function issuesOf({ position, error }: OperationFailure): readonly ValidationIssue[] {
  const at = `/operations/${position}`;
  const { issues, message } = toProblem(error);
  // Its pointers already are those of the batch.
  if (error instanceof Problem) return issues;
  if (issues.length > 0) {
    return issues.map(({ detail, ...place }) => ({
      // The only parameter of an operation is the id in the path of the request that it stands for.
      pointer: 'pointer' in place ? `${at}/body${place.pointer}` : `${at}/${place.parameter}`,
      detail,
    }));
  }
  const isOfIfMatch = error instanceof VersionMismatch && !error.isOfCreation;
  return [{ pointer: `${at}/${isOfIfMatch ? 'ifMatch' : 'id'}`, detail: message }];
}

/** Returns the problem of a batch: that of the first operation that fails, with the issues of all of them. */
function batchProblem(failed: BatchFailed): Problem {
  const { code } = toProblem(failed.failures[0]?.error);
  const { message, issues } = invalidRequest(failed.failures.flatMap(issuesOf));
  return new Problem(code, `${failed.message} ${message}`, { issues, cause: failed });
}

const statuses = { create: 201, update: 200, delete: 204 } as const;

function showResult({ show }: Resource, result: BatchResult): object {
  if (result.operation !== 'delete' && result.isHidden) return { status: 404 };
  const status = statuses[result.operation];
  if (result.operation === 'delete' || !result.stored) return { status: statuses.delete };
  const { entity, version } = result.stored;
  return { status, etag: versionTag(entity.id, version), body: show(entity) };
}

export const batchEndpoint = (contract: ReturnType<typeof batch>) =>
  writeEndpoint(contract, async ({ session, body }) => {
    const { resource } = contract;
    const operations = readOperations(resource, body.operations);
    try {
      const results = await applyBatch(session, resource.kind, operations);
      return results.map((result) => showResult(resource, result));
    } catch (error) {
      throw error instanceof BatchFailed ? batchProblem(error) : error;
    }
  });
