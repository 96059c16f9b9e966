import { CfnApiMapping, DomainName, type HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * Maps a domain of the owner to the API, with a record in the hosted zone if there is one.
 * @returns the URL of the API for clients: that of the domain, or the API's own.
 */
export function domain(scope: Construct, settings: Settings, api: HttpApi): string {
  const { domainName, certificateArn, hostedZoneId } = settings;
  if (!domainName) return api.apiEndpoint;
  const own = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
  });
  const mapping = new CfnApiMapping(scope, 'Mapping', {
    apiId: api.apiId,
    domainName: own.name,
    stage: '$default',
  });
  // The mapping needs the API stage, which is a child of the API.
  mapping.node.addDependency(api);
  if (hostedZoneId) {
    new CfnRecordSet(scope, 'Record', {
      hostedZoneId,
      name: domainName,
      type: 'A',
      aliasTarget: { dnsName: own.regionalDomainName, hostedZoneId: own.regionalHostedZoneId },
    });
  }
  return `https://${domainName}`;
}
