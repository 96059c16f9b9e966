/** For the engine that the service starts for itself: it asks for a signature, and takes any. AWS would not. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

const signature = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  'x-amz-date': '20260101T000000Z',
};

/** Settings of a client that signs nothing. */
export const anySignature = {
  signer: {
    sign: async (request) => {
      Object.assign(request.headers, signature);
      return request;
    },
  },
} satisfies DynamoDBClientConfig;
