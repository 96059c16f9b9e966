import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { CommandFailure } from '../command-line/command-line.ts';

/**
 * Milliseconds for each response of the metadata service of EC2, the last source. The SDK sends it at most two requests. It responds within a
 * few milliseconds where it exists. In many networks its address never responds.
 */
const metadataTimeout = 400;

/** A source that takes longer, such as single sign-on, counts as found. CDK reports its errors. */
const maxWaitMs = 1_200;

const help = `Set one of these:
  - AWS_PROFILE, to a profile of "aws configure sso" or "aws configure"
  - AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN if they are temporary
"aws sts get-caller-identity" shows whose credentials are in use.`;

/** Returns promises of the reason why there are no credentials, or of undefined, and of the region. */
export function findAws() {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const { config } = new DynamoDBClient({});
  const credentials = defaultProvider({ timeout: metadataTimeout, maxRetries: 0 });
  return {
    failure: credentials().then(
      () => undefined,
      (error: Error) => error,
    ),
    region: config.region().catch(() => process.env['AWS_DEFAULT_REGION']),
  };
}

/**
 * Returns the region to use.
 * @param region that of the settings or of a deployment.
 * @throws CommandFailure that says what to set when there are no credentials, or no region.
 */
export async function requireAws(found: ReturnType<typeof findAws>, region = ''): Promise<string> {
  const failure = await Promise.race([found.failure, delay(maxWaitMs, undefined, { ref: false })]);
  if (failure) {
    const profile = process.env['AWS_PROFILE'];
    const finding = profile
      ? `The profile "${profile}" (AWS_PROFILE) gives no AWS credentials`
      : 'There are no AWS credentials';
    throw new CommandFailure(`${finding} (${failure.message}). ${help}`, { cause: failure });
  }
  const used = region || (await found.region);
  if (!used) throw new CommandFailure('There is no AWS region. Set AWS_REGION, for example to eu-central-1.');
  return used;
}
