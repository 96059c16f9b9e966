/**
 * Domains of AWS endpoints, IPv4 and dual-stack.
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

export function isAws(endpoint: string): boolean {
  // A trailing dot does not change the host.
  const hostname = new URL(endpoint).hostname.replace(/\.$/, '');
  return awsDomains.some((domain) => hostname.endsWith(`.${domain}`));
}

export function setCredentials(endpoint: string): void {
  process.env['AWS_REGION'] ??= 'us-east-1';
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // A local engine accepts any credentials. For AWS, the SDK looks up those of the user.
  if (!isAws(endpoint)) {
    process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
  }
}

export function setEngineEnvironment(endpoint: string): void {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  setCredentials(endpoint);
}
