/**
 * What a client of the embedded engine need not do. The engine asks for a signature, and takes any: making a real one
 * is a quarter of what a call costs.
 */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

const headers = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  'x-amz-date': '20260101T000000Z',
};

/** For the engine that the service starts for itself; any other, and AWS above all, may look at signatures. */
export const unsigned = {
  signer: {
    sign: async (request) => {
      Object.assign(request.headers, headers);
      return request;
    },
  },
} satisfies DynamoDBClientConfig;
