/** The alarms of both stacks, and the topic of the stage that gets them. Both have names, so no stack refers to the other one. */
import { Aws, Validations } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { comparisonOf, type Symptom } from './alarmed-symptoms.ts';
import { alarmAddress, type Settings } from './settings.ts';

const topicNameOf = ({ stage }: Settings): string => `project-management-${stage}-alarms`;

function topicArnOf(settings: Settings, { isUrgent }: Symptom): string {
  const own = `arn:${Aws.PARTITION}:sns:${Aws.REGION}:${Aws.ACCOUNT_ID}:${topicNameOf(settings)}`;
  return (isUrgent && settings.urgentTopicArn) || settings.alarmTopicArn || own;
}

/**
 * Creates the topic of the stage, unless the settings name another one. It is not encrypted: CloudWatch cannot use the AWS managed key, and alarms contain
 * no data.
 */
export function createAlarmTopic(scope: Construct, settings: Settings): Topic | undefined {
  if (!settings.alarms || settings.alarmTopicArn) return undefined;
  const address = alarmAddress(settings);
  const topic = new Topic(scope, 'Alarms', { topicName: topicNameOf(settings), enforceSSL: true });
  // The enforceSSL policy replaces the default policy, which allows alarms of the account to publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  if (address) {
    topic.addSubscription(new EmailSubscription(address));
    Validations.of(topic).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm mail that cannot be delivered is useless later.',
    });
  }
  return topic;
}

const camel = (heading: string): string =>
  heading.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());

const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

/** Creates an alarm for each symptom. @param topic of this stack, if it has it. @returns the names of the alarms. */
export function createAlarms(
  scope: Construct,
  settings: Settings,
  symptoms: readonly Symptom[],
  topic?: Topic,
): string[] {
  if (!settings.alarms) return [];
  return symptoms.map((symptom) => {
    const { heading, label, metric, threshold = 1, periods = 1, isTooLittle } = symptom;
    const amount = isTooLittle ? `Fewer than ${threshold}` : String(threshold);
    const alarmName = `project-management-${settings.stage}-${camel(heading)}`;
    const alarm = new Alarm(scope, camel(heading), {
      alarmName,
      metric,
      threshold,
      evaluationPeriods: periods,
      ...comparisonOf(symptom),
      alarmDescription: `${amount} ${label} within ${metric.period.toMinutes()} minutes, ${periods} in a row. See docs/operations.md#${anchor(heading)}`,
    });
    const action = { bind: () => ({ alarmActionArn: topicArnOf(settings, symptom) }) };
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    // An alarm that is raised before is not repeated.
    if (topic) alarm.node.addDependency(topic);
    return alarmName;
  });
}
