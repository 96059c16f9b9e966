/** What the SDK finds in its environment, so that its clients talk to the engine of this machine. */

/**
 * The domains of AWS's endpoints, over IPv4 and over both.
 * @see https://docs.aws.amazon.com/general/latest/gr/rande.html
 */
const awsDomains = [
  'amazonaws.com',
  'amazonaws.com.cn',
  'amazonaws.eu',
  'api.aws',
  'api.amazonwebservices.com.cn',
  'api.amazonwebservices.eu',
];

/** Whether an address is of AWS itself. */
export function isAws(endpoint: string): boolean {
  // A name with a dot at its end is the same name.
  const hostname = new URL(endpoint).hostname.replace(/\.$/, '');
  return awsDomains.some((domain) => hostname.endsWith(`.${domain}`));
}

/** Where the stream of a database's tables is read. */
export const streamsEndpoint = (endpoint: string): string =>
  isAws(endpoint) ? endpoint.replace('//dynamodb.', '//streams.dynamodb.') : endpoint;

/** Sets what every client of the SDK in this process signs with. */
export function setCredentials(endpoint: string): void {
  process.env['AWS_REGION'] ??= 'us-east-1';
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // An engine on this machine takes any; AWS must find the caller's own.
  if (!isAws(endpoint)) {
    process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
  }
}

/** Sets the engine that every client of the SDK in this process talks to. */
export function setEngineEnvironment(endpoint: string): void {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  setCredentials(endpoint);
}
